import type { Ratio } from '../paired-ratio.ts';

/** `1.01 [0.99, 1.03]` */
export function ratioText({ value, low, high }: Ratio): string {
  if (low === undefined || high === undefined) return digits(value);
  return `${digits(value)} [${digits(low)}, ${digits(high)}]`;
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
