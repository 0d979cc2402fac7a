import os from 'node:os';
import process from 'node:process';
import { Reflect } from '../contract/built-ins.js';
import { attempt } from '../contract/guard.js';
import { processListenerCount } from '../contract/own-listeners.js';
import type { Registry } from '../contract/registry.js';
import { closeSessions, reopenSessions } from './watchdog-state.js';

const { signals } = os.constants;
const { pid: ownPid } = process;

type Kill = typeof process.kill;

/** Signals that end a process without a listener for them. SIGUSR1 starts Node's inspector instead. */
const ENDING_SIGNALS = [
  'SIGABRT',
  'SIGALRM',
  'SIGBUS',
  'SIGFPE',
  'SIGHUP',
  'SIGILL',
  'SIGINT',
  'SIGKILL',
  'SIGQUIT',
  'SIGSEGV',
  'SIGTERM',
  'SIGTRAP',
  'SIGUSR2',
] as const;

/**
 * Wraps `process.kill` so that a process that kills itself calls `onEnd` first, where the signal ends it, and closes the
 * watchdog's sessions, as before an exit. Such a process emits no `exit` event, yet Node waits for an open session, with
 * "Waiting for the debugger to disconnect..." on stderr. Returns a function that removes the wrapper.
 */
export function prepareSelfKill(registry: Registry, onEnd: () => void): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the caller's own `this`
  const original = process.kill;
  const kill: Kill = function kill(this: unknown, pid, signal) {
    if (pid !== ownPid) return Reflect.apply(original, this, [pid, signal]);
    attempt(() => {
      if (endsProcess(signal)) onEnd();
      closeSessions(registry);
    });
    try {
      return Reflect.apply(original, this, [pid, signal]);
    } finally {
      // The process continues after signal 0 and after a signal that it handles.
      attempt(() => {
        reopenSessions(registry);
      });
    }
  };
  Reflect.set(process, 'kill', kill);
  return () => {
    if (process.kill === kill) Reflect.set(process, 'kill', original);
  };
}

function endsProcess(signal: string | number = 'SIGTERM'): boolean {
  for (let i = 0; i < ENDING_SIGNALS.length; i++) {
    const name = ENDING_SIGNALS[i]!;
    if (name !== signal && signals[name] !== signal) continue;
    return name === 'SIGKILL' || processListenerCount(name) === 0;
  }
  return false;
}
