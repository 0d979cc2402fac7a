/** Mean CPU per batch of a phase, in µs. */
export interface BatchCost {
  /** From the first request of a batch to its last answer, without the most expensive batches. */
  readonly servingMicroseconds: number;
  /** From the start of a batch to the start of the next one, of all batches. */
  readonly totalMicroseconds: number;
}

/**
 * A full garbage collection happens in one batch of fifty and costs as much as ten or twenty batches. Whether a phase
 * contains one more of them is chance, and changes its mean by more than the instrumentation does. The total keeps
 * them.
 */
const TRIMMED_SHARE = 0.04;

/** The mean without the largest values. */
export function trimmedMean(values: readonly number[]): number {
  if (values.length === 0) throw new Error('Expected the cost of at least one batch, got none.');
  const kept = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length * (1 - TRIMMED_SHARE)));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
