import os from 'node:os';
import process from 'node:process';
import { Reflect } from '../contract/built-ins.js';
import { attempt } from '../contract/guard.js';
import { processListenerCount } from '../contract/own-listeners.js';
import type { Registry } from '../contract/registry.js';
import { wrapFunction } from '../contract/wrap-function.js';
import { awaitClosedSessions, reopenSessions } from './watchdog-state.js';

const { signals } = os.constants;
const { pid: ownPid } = process;

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

/** What `process.kill` calls, by this name: it has checked its arguments then, and throws the error itself. */
const NAME = '_kill';
/** Returns an error number, which is negative, or 0. */
type KillById = (this: unknown, pid: number, signal: number) => number;

/**
 * Wraps what `process.kill` calls, so that a process that kills itself calls `onEnd` first, where the signal ends it, and
 * closes the watchdog's sessions, as before an exit. Such a process emits no `exit` event, yet Node waits for an open
 * session, with "Waiting for the debugger to disconnect..." on stderr. `process.kill` itself and the stacks of its errors
 * stay as they are. Returns a function that removes the wrapper.
 */
export function prepareSelfKill(registry: Registry, onEnd: () => void): () => void {
  return wrapFunction<KillById>(
    process,
    NAME,
    (original) =>
      function (this: unknown, pid, signal) {
        if (!isOwnProcess(pid)) return Reflect.apply(original, this, [pid, signal]);
        attempt(() => {
          if (endsProcess(signal)) onEnd();
          awaitClosedSessions(registry);
        });
        try {
          return Reflect.apply(original, this, [pid, signal]);
        } finally {
          // The process continues after signal 0 and after a signal that it handles.
          attempt(() => {
            reopenSessions(registry);
          });
        }
      },
  );
}

/** Also as a member of its group, or, mostly, as the leader of one. */
function isOwnProcess(pid: number): boolean {
  return pid === ownPid || pid === 0 || pid === -ownPid;
}

function endsProcess(signal: number): boolean {
  for (let i = 0; i < ENDING_SIGNALS.length; i++) {
    const name = ENDING_SIGNALS[i]!;
    if (signals[name] === signal) return name === 'SIGKILL' || processListenerCount(name) === 0;
  }
  return false;
}
