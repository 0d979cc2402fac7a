/** Key of the probe on a thread's `globalThis`, by `Symbol.for`. */
export const PROBE_SYMBOL = 'loopwatch.probe.1';

/**
 * What a probe answers: one of these numbers. When the watchdog asks for a hang report, the answer is a string: that
 * digit, followed by the JSON of `HangReport[]`. Where liveness is on and the culprit is known, a line feed and the culprit
 * follow.
 */
export const ProbeAnswer = {
  /** No JavaScript of the application was running. */
  noJavaScript: 0,
  running: 1,
  /** In `Atomics.wait` on a worker thread, with nothing pending. */
  asleep: 2,
  /** In `Atomics.wait` on a worker thread, with work pending. */
  asleepWithPending: 3,
} as const;

export type ProbeAnswer = (typeof ProbeAnswer)[keyof typeof ProbeAnswer];

/** Asks the probe, instead of a sample, whether the interrupted code runs in a script of `node:vm`: `running` if so. */
export const LIMIT_QUESTION = 'limit';

/** Asks the probe for an answer that counts for the time of the loop, and is no sample of a block. */
export const BUSY_QUESTION = 'busy';
