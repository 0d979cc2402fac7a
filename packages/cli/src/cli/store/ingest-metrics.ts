import {
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_BUSY_TIME,
  METRIC_EVENT_LOOP_LAG,
  METRIC_EVENT_LOOP_STALLED,
  METRIC_EVENT_LOOP_THREADS,
  METRIC_EVENT_LOOP_THREAD_IDLE_AGE,
  METRIC_EVENT_LOOP_UTILIZATION,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { MAX_BUCKETS } from '../../model/accept/lag-point.js';
import { acceptThread } from '../../model/accept/process.js';
import { bucketOf } from '../../model/delays/histogram.js';
import { name, time } from '../../model/rules.js';
import { threadKey } from '../../model/thread-key.js';
import type { LagPoint, ThreadInfo } from '../../model/types.js';
import { instanceFromResource } from '../otlp/convert.js';
import type { DecodedMetric, DecodedPoint } from '../otlp/decoded.js';
import { isWithinRetention } from './blocks.js';
import { takeCumulative } from './cumulative.js';
import { addBusyTime } from './ingest-busy-time.js';
import { addLag } from './lag.js';
import { type Change, type CumulativePoint, emptyChange, noteDelay, registerInstance, type Store } from './store.js';

const THREAD_FIELDS: Readonly<Record<string, (value: number) => Partial<ThreadInfo>>> = {
  [METRIC_EVENT_LOOP_UTILIZATION]: (value) => ({ utilization: value }),
  [METRIC_EVENT_LOOP_THREADS]: (value) => ({ count: value }),
  [METRIC_EVENT_LOOP_THREAD_IDLE_AGE]: (value) => ({ idleAgeMs: value * 1000 }),
  [METRIC_EVENT_LOOP_STALLED]: (value) => ({ stalledMs: value * 1000 }),
};

/** Stores the event loop metrics of one request and ignores all others. */
export function ingestMetrics(store: Store, metrics: readonly DecodedMetric[], nowMs: number): Change {
  const change = emptyChange();
  const newestMs = new Map<string, number>();
  for (const metric of metrics) {
    const isLag = metric.name === METRIC_EVENT_LOOP_LAG;
    const threadField = THREAD_FIELDS[metric.name];
    const isBusyTime = metric.name === METRIC_EVENT_LOOP_BUSY_TIME;
    if (!isLag && !isBusyTime && !threadField) continue;
    const instance = registerInstance(store, instanceFromResource(metric.resource), nowMs, change);
    if (instance === undefined) continue;
    const busyPoints: DecodedPoint[] = [];
    for (const point of metric.points) {
      const { endMs } = point;
      const isTime = time(endMs) !== undefined;
      // Also of what is refused: a clock that is a day ahead is what the reader must know.
      if (isTime) newestMs.set(instance, Math.max(newestMs.get(instance) ?? -Infinity, endMs));
      if (!threadField && !(isTime && isWithinRetention(store, endMs, nowMs))) {
        if (!(endMs <= nowMs)) store.totals.notKept.invalid += 1;
        continue;
      }
      if (isBusyTime) {
        busyPoints.push(point);
        continue;
      }
      const threadName = name(point.attributes[ATTR_THREAD_NAME]) ?? 'main';
      if (isLag) addLag(store, lagPoint(store, metric, point, instance, threadName), change);
      else if (threadField && point.value !== undefined) {
        addThread(store, { instance, threadName, ...threadField(point.value) }, change);
      }
    }
    if (busyPoints.length > 0) addBusyTime(store, metric, busyPoints, instance);
  }
  for (const [id, ms] of newestMs) noteDelay(store, id, ms, nowMs, change);
  return change;
}

function lagPoint(
  store: Store,
  metric: DecodedMetric,
  point: DecodedPoint,
  instance: string,
  threadName: string,
): LagPoint | undefined {
  const counts = point.counts ?? [];
  if (counts.length === 0 || counts.length > MAX_BUCKETS) return undefined;
  const boundsMs = (point.bounds ?? []).map((seconds) => seconds * 1000);
  const base = { instance, threadName, boundsMs };
  const maxMs = point.max === undefined ? undefined : point.max * 1000;
  if (metric.temporality !== 'cumulative') {
    return { ...base, startMs: point.startMs, endMs: point.endMs, counts, ...(maxMs !== undefined && { maxMs }) };
  }
  const cumulative = { startMs: point.startMs, endMs: point.endMs, boundsMs, counts, maxMs };
  const added = takeCumulative(store, `${instance}\n${JSON.stringify(point.attributes)}`, cumulative, 'lagPoints');
  return added && { ...base, ...deltaOf(added.before, cumulative) };
}

/** What a cumulative point adds to the one before it. */
function deltaOf(
  before: CumulativePoint | undefined,
  next: CumulativePoint,
): Pick<LagPoint, 'startMs' | 'endMs' | 'counts' | 'maxMs'> {
  const countsBefore = before && countsIn(next.boundsMs, before);
  const counts = countsBefore ? next.counts.map((count, index) => count - countsBefore[index]!) : next.counts;
  const startMs = before?.endMs ?? next.startMs;
  // The maximum covers the whole time: it belongs to this interval only if it rose.
  const rose = next.maxMs !== undefined && (!before || next.maxMs > (before.maxMs ?? 0));
  return { startMs, endMs: next.endMs, counts, ...(rose && { maxMs: next.maxMs }) };
}

/** Less than the width of any bucket: its bounds are powers, which are rounded. */
const BOUND_TOLERANCE = 1e-9;

/**
 * The counts of the earlier point in the buckets of a later one. An exponential histogram gets further buckets and, when it
 * would have too many, wider ones: each of the earlier buckets lies in one of the later.
 */
function countsIn(boundsMs: readonly number[], { boundsMs: earlier, counts }: CumulativePoint): number[] {
  const result = new Array<number>(boundsMs.length + 1).fill(0);
  for (const [index, count] of counts.entries()) {
    const bucket = index === 0 ? 0 : bucketOf(boundsMs, (earlier[index] ?? Infinity) * (1 - BOUND_TOLERANCE));
    result[bucket]! += count;
  }
  return result;
}

function addThread(store: Store, received: ThreadInfo, change: Change): void {
  const info = acceptThread(received);
  if (!info) return;
  const key = threadKey(info);
  const merged = { ...store.threads.get(key), ...info };
  store.threads.set(key, merged);
  store.threads.touch(key);
  change.threads.push(merged);
}
