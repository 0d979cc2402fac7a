/** From `start` to `end`, ms. The property or parameter that holds it says on which time line. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Time, ms, for which the interval overlaps the others. They must not overlap each other, or time counts twice. */
export function overlapMs({ start, end }: Interval, others: readonly Interval[]): number {
  return others.reduce((sum, other) => sum + Math.max(0, Math.min(end, other.end) - Math.max(start, other.start)), 0);
}

/** The same time in intervals that neither overlap nor touch, in order of time. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}
