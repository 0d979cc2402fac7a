import process from 'node:process';
import type { Registry } from '../contract/registry.js';
import { closeSessions, reopenSessions } from './watchdog-state.js';

type Kill = typeof process.kill;

/**
 * Wraps `process.kill` so that a process that kills itself closes the watchdog's sessions first, as before an exit.
 * Such a process emits no `exit` event, yet Node waits for an open session, with "Waiting for the debugger to
 * disconnect..." on stderr. Returns a function that removes the wrapper.
 */
export function closeSessionsBeforeSelfKill(registry: Registry): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the caller's own `this`
  const original = process.kill;
  const kill: Kill = function kill(this: unknown, pid, signal) {
    if (pid !== process.pid) return Reflect.apply(original, this, [pid, signal]);
    closeSessions(registry);
    try {
      return Reflect.apply(original, this, [pid, signal]);
    } finally {
      reopenSessions(registry); // the process continues after signal 0 and after a signal that it handles
    }
  };
  process.kill = kill;
  return () => {
    if (process.kill === kill) process.kill = original;
  };
}
