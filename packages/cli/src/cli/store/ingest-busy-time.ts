import { ATTR_CODE_FUNCTION_NAME, ATTR_REQUEST, ATTR_THREAD_NAME } from '@loopwatch/instrumentation-event-loop/semconv';

import { acceptBusyPeriod } from '../../model/accept/busy-period.js';
import type { BusyAnswers } from '../../model/busy-time/busy.js';
import { groupBy } from '../../model/collections.js';
import { textOf } from '../otlp/convert.js';
import type { DecodedMetric, DecodedPoint } from '../otlp/decoded.js';
import { addBusyPeriod } from './busy-periods.js';
import { takeCumulative } from './cumulative.js';
import type { Store } from './store.js';

/** The busy time that a series has added since its last point. */
interface Added {
  readonly threadName: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly answers: BusyAnswers;
}

/**
 * Keeps the busy time of an instance, which a counter for each request and function reports. The points of one export
 * become one period a thread name: each of its `answers` is the time of a series.
 */
export function addBusyTime(
  store: Store,
  metric: DecodedMetric,
  points: readonly DecodedPoint[],
  instance: string,
): void {
  const added = points.flatMap((point) => addedBy(store, metric, point, instance) ?? []);
  for (const ofThread of groupBy(added, ({ threadName, endMs }) => `${threadName}\n${endMs}`).values()) {
    const { threadName, endMs } = ofThread[0]!;
    const period = acceptBusyPeriod({
      instance,
      threadName,
      startMs: ofThread.reduce((start, { startMs }) => Math.min(start, startMs), endMs),
      endMs,
      busyMs: ofThread.reduce((sum, { answers }) => sum + answers.weight, 0),
      answers: ofThread.map(({ answers }) => answers),
    });
    if (period) addBusyPeriod(store, period);
    else store.totals.notKept.invalid += 1;
  }
}

/** Undefined where the series has added nothing, and where its value cannot be true. */
function addedBy(
  store: Store,
  metric: DecodedMetric,
  { attributes, startMs, endMs, value }: DecodedPoint,
  instance: string,
): Added | undefined {
  if (value === undefined || !(value >= 0)) return undefined;
  const series = `${instance}\nbusy ${JSON.stringify(attributes)}`;
  const point = { startMs, endMs, boundsMs: [], counts: [value], maxMs: undefined };
  const isCumulative = metric.temporality === 'cumulative';
  const added = isCumulative ? takeCumulative(store, series, point, 'busyPeriods') : {};
  if (!added) return undefined;
  const { before } = added;
  const seconds = before ? value - before.counts[0]! : value;
  if (!(seconds > 0)) return undefined;
  const functionName = textOf(attributes[ATTR_CODE_FUNCTION_NAME]);
  const request = textOf(attributes[ATTR_REQUEST]);
  return {
    threadName: textOf(attributes[ATTR_THREAD_NAME]) ?? 'main',
    startMs: before?.endMs ?? startMs,
    endMs,
    answers: {
      ...(request !== undefined && { request }),
      ...(functionName !== undefined && {
        culprit: { functionName, filePath: '', lineNumber: 0, columnNumber: 0 },
      }),
      weight: seconds * 1000,
    },
  };
}
