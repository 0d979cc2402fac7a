/** The quantile of a series at a share from 0 to 1, by nearest rank. */
export function quantile(series: readonly number[], share: number): number {
  if (series.length === 0) throw new Error('Expected a series with at least one value, got none.');
  const sorted = [...series].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

export function median(series: readonly number[]): number {
  return quantile(series, 0.5);
}

/**
 * Bounds between which the median of the distribution lies, of which the series is a sample: with a probability of at
 * least 99 %, whatever the distribution is. The number of values below the median is that of heads in as many throws of
 * a coin. At least eight values.
 */
export function medianInterval(series: readonly number[]): readonly [number, number] {
  const sorted = [...series].sort((a, b) => a - b);
  let probability = 0.5 ** sorted.length;
  let below = probability;
  let rank = 0;
  while (below <= 0.005) {
    rank++;
    probability *= (sorted.length - rank + 1) / rank;
    below += probability;
  }
  if (rank === 0) throw new Error(`Expected a series with at least eight values, got ${sorted.length}.`);
  return [sorted[rank - 1]!, sorted[sorted.length - rank]!];
}
