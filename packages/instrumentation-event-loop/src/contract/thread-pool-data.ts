/**
 * libuv's thread pool, as the watchdog measures it: the pool belongs to the process, so a task of the watchdog waits in
 * the queue of the application's tasks, whatever the application's threads do. What it measures all the time lies in
 * shared memory, so that it wakes no idle loop; a pool that is full for long is a message.
 */

/** Index of each field in the `Float64Array` that both threads share. The waits follow, a ring of pairs. */
export const PoolField = {
  /** Number of times that the watchdog has looked at the pool's threads. */
  looks: 0,
  /** Sum over these looks of the share of threads that worked, 0 to 1 each. */
  busyShares: 1,
  /** Number of waits written since the start. */
  writtenWaits: 2,
  firstWait: 3,
} as const;

/** Waits that the ring holds: more than ten seconds of them, while the reader comes once a second. */
export const WAIT_RING_LENGTH = 256;

/** Tasks of libuv's lane `UV__WORK_SLOW_IO`, `dns.lookup` and `dns.lookupService`, take at most half of the threads. */
export type PoolLane = 'any' | 'slow_io';

/** How long a task that arrived at some moment waited for a thread, ms. */
export interface PoolWait {
  readonly waitMs: number;
  readonly lane: PoolLane;
}

export function createPoolBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer((PoolField.firstWait + WAIT_RING_LENGTH * 2) * Float64Array.BYTES_PER_ELEMENT);
}

export interface ThreadPoolSettings {
  /** A task that waits for longer is reported, ms. */
  readonly thresholdMs: number;
}

/** Message from the watchdog: a task has begun to wait, or goes on. The thread that gets it notes what else waits. */
export interface PoolWaitSeen {
  readonly poolWait: 'began' | 'goesOn';
}

/** Message from the watchdog: a task has waited for longer than the threshold, or still waits. */
export interface PoolStarvation {
  readonly poolWait: 'ended' | 'lasts';
  /** When the task was queued, on the shared clock, ms. */
  readonly queuedAt: number;
  /** When it ran, or what time it is now, on the shared clock, ms. */
  readonly ranAt: number;
  readonly lane: PoolLane;
  /** Number of threads of the pool; undefined where the system does not show them. */
  readonly size: number | undefined;
  /** What most of the time each thread did, as `cpu×4`, most frequent first. Empty where the system does not show it. */
  readonly holders: readonly string[];
}

/** With what the thread that got it knows. */
export interface PoolStarvationSeen extends PoolStarvation {
  /** Its tasks, as `Type×N`: as many as have been seen to wait at once. */
  readonly queued: readonly string[];
  /** Requests that were not answered when the wait began, as `name×N`; empty where they are not known or say nothing. */
  readonly requests: readonly string[];
}

/** What the watchdog has measured since the last reading. */
export interface PoolReadings {
  readonly waits: readonly PoolWait[];
  /** Mean share of the threads that worked, 0 to 1; undefined where the system does not show them. */
  readonly busyShare: number | undefined;
}

export type PoolMessage = PoolWaitSeen | PoolStarvation;
