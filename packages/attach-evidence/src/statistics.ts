/** An estimate and its 95 % confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantiles of Student's distribution for 1, 2, … degrees of freedom. */
const QUANTILES = [12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27, 2.23, 2.21, 2.18, 2.17, 2.15, 2.14];

/** The mean of independent values. */
export function meanWithInterval(values: readonly number[]): Estimate {
  if (values.length < 2) throw new Error(`Expected at least two values, got ${values.length}.`);
  const wrong = values.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw new Error(`Expected finite values, got ${wrong}.`);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  // Beyond the table, its last value: the interval is then slightly too wide.
  const quantile = QUANTILES[Math.min(values.length - 1, QUANTILES.length) - 1]!;
  const margin = quantile * Math.sqrt(variance / values.length);
  return { value: mean, low: mean - margin, high: mean + margin };
}

/** Random numbers from 0 to 1, the same series for the same seed (a linear congruential generator). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
