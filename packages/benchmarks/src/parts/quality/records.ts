/** A block, as the program that blocks measured it. */
export interface TrueBlock {
  readonly type: 'block';
  readonly name: string;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly spanId: string;
  readonly file: string;
  /** First and last line of the function that blocked. */
  readonly lines: readonly [number, number];
  /** Each of these causes counts as right. */
  readonly causes: readonly string[];
}

/** A peer's report of a block. Aspects that the peer does not report are absent. */
export interface Report {
  readonly type: 'report';
  readonly atEpochMs: number;
  readonly durationMs?: number;
  readonly file?: string;
  readonly line?: number;
  /** As V8 prints stacks, the innermost frame first. */
  readonly stack?: string;
  readonly spanId?: string;
  readonly cause?: string;
  readonly isGauge?: boolean;
}
