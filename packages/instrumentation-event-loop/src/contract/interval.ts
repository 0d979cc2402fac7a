/** From `start` to `end`, ms; the name of what holds it says on which time line. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** ms of the interval that lie within any of the others, which must not overlap each other. */
export function overlapMs({ start, end }: Interval, others: readonly Interval[]): number {
  return others.reduce((sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)), 0);
}
