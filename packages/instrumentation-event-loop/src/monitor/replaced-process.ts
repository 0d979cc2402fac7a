import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { attempt, guarded } from '../contract/guard.js';
import type { Registry } from '../contract/registry.js';
import { rootTimers } from '../detection/root-timers.js';
import { awaitClosedSessions, reopenSessions } from './watchdog-state.js';

/** Node.js publishes here right before `process.execve` puts another program in the place of this one. */
const CHANNEL = 'process.execve';

/**
 * Calls `onEnd` before another program takes the place of this one, and has the watchdog close its sessions, as before an
 * exit. Node emits no `exit` then, yet waits for an open session, with "Waiting for the debugger to disconnect..." on
 * stderr. Returns a function that removes the subscriber.
 */
export function prepareReplacement(registry: Registry, onEnd: () => void): () => void {
  const onExecve = guarded(() => {
    attempt(onEnd);
    awaitClosedSessions(registry);
    // From Node.js 26 on, the process continues where that program cannot be executed.
    rootTimers.setImmediate(
      guarded(() => {
        reopenSessions(registry);
      }),
    );
  });
  subscribe(CHANNEL, onExecve);
  return () => {
    unsubscribe(CHANNEL, onExecve);
  };
}
