/** A figure with its confidence interval. */
export interface Estimate {
  readonly value: number;
  /** Bounds of the 95 % interval; absent when there are too few measurements for one. */
  readonly low?: number;
  readonly high?: number;
}

/** A cost relative to another one; 1 means no difference. */
export type Ratio = Estimate;
