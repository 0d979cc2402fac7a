import type { Estimate, Ratio } from '../statistics/estimate.ts';

/** An interval up to 5 % on both sides says something, also where it contains 1. */
const WIDEST = 1.05 / 0.95;

/** `1.01 [0.99, 1.03]`, or `not shown [0.82, 1.67]` where the interval contains 1 and is wider than ±5 %. */
export function ratioText({ value, low, high }: Ratio): string {
  if (low === undefined || high === undefined) return digits(value);
  const isShown = low > 1 || high < 1 || high / low <= WIDEST;
  return `${isShown ? digits(value) : 'not shown'} [${digits(low)}, ${digits(high)}]`;
}

/** `1.012 [1.003, 1.021]`: for ratios that are precise to a few thousandths. */
export function fineRatioText(ratio: Ratio): string {
  return estimateText(ratio, (value) => value.toFixed(3));
}

/** `+226 [201, 250]` */
export function addedText({ value, ...bounds }: Estimate): string {
  return `${value < 0 ? '' : '+'}${estimateText({ value, ...bounds }, (number) => number.toFixed(0))}`;
}

/** `+12.3 [10.1, 14.0]` */
export function addedMillisecondsText({ value, ...bounds }: Estimate): string {
  return `${value < 0 ? '' : '+'}${estimateText({ value, ...bounds }, (number) => number.toFixed(1))}`;
}

/** `+0.25 [0.21, 0.30]` */
export function addedPercentText({ value, ...bounds }: Estimate): string {
  return `${value < 0 ? '' : '+'}${estimateText({ value, ...bounds }, percent)}`;
}

/** `+0.4 [0.1, 0.8]` */
export function addedMebibytesText({ value, low, high }: Estimate): string {
  const inMebibytes = (bytes: number): number => bytes / 2 ** 20;
  return addedMillisecondsText({
    value: inMebibytes(value),
    ...(low !== undefined && high !== undefined && { low: inMebibytes(low), high: inMebibytes(high) }),
  });
}

function estimateText({ value, low, high }: Estimate, toText: (value: number) => string): string {
  if (low === undefined || high === undefined) return toText(value);
  return `${toText(value)} [${toText(low)}, ${toText(high)}]`;
}

function digits(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

export function microseconds(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

export function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

export function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

export function percent(value: number): string {
  return value.toFixed(2);
}
