/** The quantile of a series at a share from 0 to 1, by nearest rank. */
export function quantile(series: readonly number[], share: number): number {
  if (series.length === 0) throw new Error('Expected a series with at least one value, got none.');
  const sorted = [...series].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

export function median(series: readonly number[]): number {
  return quantile(series, 0.5);
}
