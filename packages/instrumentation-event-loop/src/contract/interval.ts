/** From `start` to `end`, ms. The property or parameter that holds it says on which time line. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Time, ms, for which the interval overlaps the others. They must not overlap each other, or time counts twice. */
export function overlapMs({ start, end }: Interval, others: readonly Interval[]): number {
  return others.reduce((sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)), 0);
}
