/** Every number that an alert turns on, in one place. Change one, then run `npm run generate -w dashboards`. */
export const thresholds = {
  /** An event that waited longer than this is one too many. It must be a bucket boundary of `event_loop.lag`. */
  lagSeconds: 1,
  /** What the slowest hundredth of all moments waits, over five minutes. */
  lagP99Seconds: 0.25,
  /** Share of the time that a thread was blocked: in the short window it must be bad now, in the long one for a while. */
  blockedShareShortWindow: 0.1,
  blockedShareLongWindow: 0.05,
  /** A thread that is busy for this share of the time has no room for a burst. */
  utilization: 0.9,
  /** A block that lasts this long and goes on is a hang; the instrumentation's own default. */
  hangSeconds: 5,
  /** `event_loop.stalled` is sent while a block lasts. An older sample speaks of one that is over. */
  stalledSampleAgeSeconds: 60,
  /** Three missed exports at OpenTelemetry's default interval of a minute. */
  vanishedAfterSeconds: 180,
  /** Share of an exporter's queue. */
  queueFill: 0.5,
} as const;
