import type { Ratio } from './estimate.ts';

/**
 * The ratio of two series measured in pairs: the mean of the logarithms of the pairs' ratios, with Student's interval.
 * A disturbance that slows both values of a pair (another program on the machine, a warmer CPU) cancels out.
 */
export function pairedRatio(values: readonly number[], baseline: readonly number[]): Ratio {
  if (values.length !== baseline.length || values.length === 0) {
    throw new Error(`Expected two series of the same length above 0, got ${values.length} and ${baseline.length}.`);
  }
  const logs = values.map((value, index) => Math.log(value / baseline[index]!));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  if (logs.length === 1) return { value: Math.exp(mean) };
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const margin = studentQuantile(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { value: Math.exp(mean), low: Math.exp(mean - margin), high: Math.exp(mean + margin) };
}

/** 97.5 % quantiles of Student's distribution for 1, 2, … degrees of freedom. */
const QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Beyond the table, its last value: the interval is then slightly too wide, never too narrow. */
function studentQuantile(degreesOfFreedom: number): number {
  return QUANTILES[Math.min(degreesOfFreedom, QUANTILES.length) - 1]!;
}
