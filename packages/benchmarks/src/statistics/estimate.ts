/** A figure with its confidence interval. */
export interface Estimate {
  readonly value: number;
  /** Bounds of the 95 % interval; absent when there are too few measurements for one. */
  readonly low?: number;
  readonly high?: number;
}

/** How many times as much; 1 is the same. */
export type Ratio = Estimate;
