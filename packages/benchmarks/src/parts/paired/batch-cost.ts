/** CPU of the turns of a phase, in µs. */
export interface BatchCost {
  /** Of a turn from its first request until the last was answered, without the dearest turns. */
  readonly servingMicroseconds: number;
  /** Of a turn and the time until the next, of all turns. */
  readonly totalMicroseconds: number;
}

/**
 * A full garbage collection falls into one turn in fifty and costs as much as ten or twenty: whether a phase has one more
 * of them is chance, and larger than all that is sought. They stay in the total.
 */
const TRIMMED_SHARE = 0.04;

/** The mean without the dearest. */
export function trimmedMean(values: readonly number[]): number {
  if (values.length === 0) throw new Error('Expected the cost of at least one turn, got none.');
  const kept = [...values].sort((a, b) => a - b).slice(0, Math.ceil(values.length * (1 - TRIMMED_SHARE)));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
