/** Thresholds of all alerts. After a change, run `npm run generate`. */
export const thresholds = {
  /** One event that waits longer raises the alert. Must be a bucket boundary of `event_loop.lag`. */
  lagSeconds: 1,
  /** One task that waits longer for libuv's thread pool raises the alert. Must be a bucket boundary, as `lagSeconds`. */
  poolWaitSeconds: 1,
  /** p99 of the lag over five minutes. */
  lagP99Seconds: 0.25,
  /** Share of the time that a thread spends in blocks; the alert needs both, over five minutes and over an hour. */
  blockedShareShortWindow: 0.1,
  blockedShareLongWindow: 0.05,
  /** Share of the blocked time in which the thread waited for a CPU, from which on alerts mention it. */
  waitingForCpuShare: 0.25,
  /** Share of the time that a thread is busy. */
  utilization: 0.9,
  /** A block that still lasts after this is a hang. The default of the option `hangThresholdMs`. */
  hangSeconds: 5,
  /** `event_loop.stalled` is sent while a block lasts; an older sample belongs to a block that has ended. */
  stalledSampleAgeSeconds: 60,
  /** Three missed exports at OpenTelemetry's default interval of one minute. */
  vanishedAfterSeconds: 180,
  /** A new culprit of a version must have blocked so often and, without waiting for a CPU, so long in ten minutes. */
  newCulpritBlocks: 3,
  newCulpritOwnSeconds: 1,
  /** In so many different minutes of the ten, and in one more after a short history. */
  newCulpritMinutes: 2,
  /** Share of its blocked time that a new culprit must have used itself: a busy host makes blocks of fast functions. */
  newCulpritOwnShare: 0.5,
  /** How much earlier than the newest version another one must have been seen, for a comparison. */
  baselineSeconds: 3600,
  /** Less than this is a short history: functions that block rarely are not in it. */
  shortBaselineSeconds: 4 * 3600,
  /** After this time without a block, a version's culprit is forgotten. */
  culpritMemoryDays: 30,
  /** Fill level of an exporter's queue, as a share of its capacity. */
  queueFill: 0.5,
  /** Active series of Loopwatch in one Prometheus: what 10,000 processes of 50 services may cost. */
  seriesBudget: 150_000,
} as const;
