import type { Worker } from 'node:worker_threads';
import { Atomics, WeakSet } from '../contract/built-ins.js';
import { sharedNow } from '../contract/clock.js';
import { Header } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';

/** Watchdog threads that this thread has started: they do not count as worker threads of the application. */
export const watchdogs = new WeakSet<Worker>();

/** Values of `Header.watchdogState`. */
export const WatchdogState = { none: 0, running: 1 } as const;

export function isWatchdogRunning(registry: Registry): boolean {
  return Atomics.load(registry.ints, Header.watchdogState) === WatchdogState.running;
}

/**
 * How long an exiting process waits for the watchdog to close a session, in ms. On a starved host, the watchdog has no CPU
 * for hundreds of ms; without this wait, Node would print its message and then wait for as long as it takes.
 */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * Called while the process exits: waits up to `CLOSE_TIMEOUT_MS` until the watchdog has closed its sessions. With an
 * open session, Node would print "Waiting for the debugger to disconnect..." and wait.
 */
export function awaitClosedSessions({ ints }: Registry): void {
  Atomics.store(ints, Header.exiting, 1);
  const deadline = sharedNow() + CLOSE_TIMEOUT_MS;
  for (let open = Atomics.load(ints, Header.openSessions); open > 0; open = Atomics.load(ints, Header.openSessions)) {
    if (sharedNow() > deadline) return;
    // The watchdog can interrupt this wait: a request that it has already sent is answered here.
    Atomics.wait(ints, Header.openSessions, open, 5);
  }
  // The disconnection is a message to this thread, which it processes at its next interruption.
  Atomics.wait(ints, Header.exiting, 1, 1);
}

/** Called when the process did not exit: allows new sessions. */
export function reopenSessions({ ints }: Registry): void {
  Atomics.store(ints, Header.exiting, 0);
}
