/** A thread that is blocked, as the watchdog reports it. */
export interface StalledThread {
  readonly threadId: number;
  readonly threadName: string;
  /** ms since the block began; 0 when it is over. */
  readonly ageMs: number;
  /** JSON of `HangReport[]`, the probe's last answer within this block; undefined when the thread has not answered. */
  readonly hangReports: string | undefined;
}
