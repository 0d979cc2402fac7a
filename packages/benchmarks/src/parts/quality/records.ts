/** A block as the program itself measured it. */
export interface TrueBlock {
  readonly type: 'block';
  readonly name: string;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly spanId: string;
  readonly file: string;
  /** First and last line of the function that blocked. */
  readonly lines: readonly [number, number];
  /** Any of which is right. */
  readonly causes: readonly string[];
}

/** What a peer told, and when; absent is what it does not tell. */
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
