import process from 'node:process';
import { closeSessions, reopenSessions } from './start-watchdog.js';
import type { Registry } from '../contract/registry.js';

type Kill = typeof process.kill;

/**
 * A process that kills itself by a signal fires no `exit` event, yet Node waits for the watchdog's session, with "Waiting
 * for the debugger to disconnect..." on stderr. So sessions are closed before `process.kill` of one's own pid as they are
 * before an exit. Returns what takes the wrapper off again.
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
      reopenSessions(registry); // signal 0, or one that is handled: life goes on
    }
  };
  process.kill = kill;
  return () => {
    if (process.kill === kill) process.kill = original;
  };
}
