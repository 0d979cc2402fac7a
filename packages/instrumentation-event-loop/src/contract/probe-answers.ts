/** Key of the probe on a thread's `globalThis`, by `Symbol.for`. */
export const PROBE_SYMBOL = 'loopwatch.probe.1';

/**
 * What a probe answers: one of these numbers, or the digit followed by the JSON of `HangReport[]` where the watchdog asks
 * for a report.
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
