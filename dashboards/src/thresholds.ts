/** Thresholds of all alerts. After a change, run `npm run generate` in dashboards/. */
export const thresholds = {
  /** One event that waits longer raises the alert. Must be a bucket boundary of `event_loop.lag`. */
  lagSeconds: 1,
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
  /** Fill level of an exporter's queue, as a share of its capacity. */
  queueFill: 0.5,
} as const;
