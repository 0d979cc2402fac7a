import { accepted, duration, instanceId, name, type Rule, type Rules, time } from '../rules.js';
import type { LagPoint } from '../types.js';

/** An exponential histogram of OpenTelemetry has 160 buckets by default, an explicit one a dozen. */
export const MAX_BUCKETS = 512;

const bounds: Rule<readonly number[]> = (value) => {
  if (!Array.isArray(value) || value.length >= MAX_BUCKETS) return undefined;
  const isRising = value.every(
    (bound: unknown, index) =>
      duration(bound) !== undefined && (index === 0 || (bound as number) > (value[index - 1] as number)),
  );
  return isRising ? (value as number[]) : undefined;
};

/** Counts of measurements: a year of one every millisecond is below this. */
const MAX_BUCKET_COUNT = 2 ** 40;

const counts: Rule<readonly number[]> = (value) => {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_BUCKETS) return undefined;
  const isCounted = value.every(
    (item: unknown) => Number.isInteger(item) && (item as number) >= 0 && (item as number) <= MAX_BUCKET_COUNT,
  );
  return isCounted && value.some((item) => item > 0) ? (value as number[]) : undefined;
};

const LAG_POINT: Rules<LagPoint> = {
  instance: instanceId,
  threadName: name,
  startMs: time,
  endMs: time,
  boundsMs: bounds,
  counts,
  maxMs: duration,
};

/** The point as it is kept; undefined if it is empty or no histogram. */
export function acceptLagPoint(value: unknown): LagPoint | undefined {
  const point = accepted<LagPoint>(value, LAG_POINT, [
    'instance',
    'threadName',
    'startMs',
    'endMs',
    'boundsMs',
    'counts',
  ]);
  if (point?.counts.length !== (point?.boundsMs.length ?? 0) + 1) return undefined;
  return point.endMs >= point.startMs && duration(point.endMs - point.startMs) !== undefined ? point : undefined;
}
