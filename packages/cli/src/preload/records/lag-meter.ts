import { METRIC_EVENT_LOOP_LAG, ATTR_THREAD_NAME } from '@loopwatch/instrumentation-event-loop/semconv';
import { type Attributes, createNoopMeter, type Histogram, type Meter, type MeterProvider } from '@opentelemetry/api';

import type { ChannelRecord } from '../../channel/contract.js';
import { bucketOf } from '../../model/delays/histogram.js';
import { epochNow, Map, Math } from '../built-ins.js';

/*
 * A meter provider that keeps one histogram for each thread name and appends it to the channel once a second. The SDK's
 * meter provider exports asynchronously, by a timer: it would lose the last interval at process.exit. The program would
 * also have to load an SDK.
 */

const INTERVAL_MS = 1_000;
/** A lag of this length, ms, is written at once: the process may be killed before the interval is over. */
const LONG_MS = 100;

interface Interval {
  startMs: number;
  counts: number[];
  maxMs: number;
}

export interface LagMeter {
  readonly provider: MeterProvider;
  /** Writes the present intervals. */
  flush(): void;
}

export function createLagMeterProvider(instance: string, write: (record: ChannelRecord) => void): LagMeter {
  const threads = new Map<string, Interval>();
  let boundsSeconds: readonly number[] = [];
  let boundsMs: readonly number[] = [];
  let wasLong = false;

  function flushThread(threadName: string, { startMs, counts, maxMs }: Interval, endMs: number): void {
    threads.delete(threadName);
    write({ type: 'lag', point: { instance, threadName, startMs, endMs, boundsMs, counts, maxMs } });
  }

  const lag: Histogram = {
    record(seconds: number, attributes: Attributes = {}) {
      const name = attributes[ATTR_THREAD_NAME];
      const threadName = typeof name === 'string' ? name : 'main';
      const nowMs = epochNow();
      let interval = threads.get(threadName);
      // The absolute value: a clock that was set back must not keep the interval open.
      if (interval && Math.abs(nowMs - interval.startMs) >= INTERVAL_MS) {
        flushThread(threadName, interval, nowMs);
        interval = undefined;
      }
      if (!interval) {
        interval = { startMs: nowMs, counts: zeros(boundsSeconds.length + 1), maxMs: 0 };
        threads.set(threadName, interval);
      }
      const bucket = bucketOf(boundsSeconds, seconds);
      interval.counts[bucket] = (interval.counts[bucket] ?? 0) + 1;
      interval.maxMs = Math.max(interval.maxMs, seconds * 1000);
      // A long lag is followed by those of the events that came later, down to none: two records hold nearly all of them.
      const isLong = seconds * 1000 >= LONG_MS;
      if (isLong !== wasLong) flushThread(threadName, interval, nowMs);
      wasLong = isLong;
    },
  };
  const noopMeter = createNoopMeter();
  const createHistogram: Meter['createHistogram'] = (name, options) => {
    if (name !== METRIC_EVENT_LOOP_LAG) return noopMeter.createHistogram(name, options);
    boundsSeconds = options?.advice?.explicitBucketBoundaries ?? [];
    boundsMs = boundsSeconds.map((bound) => bound * 1000);
    return lag;
  };
  // Not `noopMeter` itself: the instrumentation recognizes it and records nothing.
  const meter = Object.assign(Object.create(noopMeter) as Meter, { createHistogram });
  return {
    provider: { getMeter: () => meter },
    flush() {
      threads.forEach((interval, threadName) => {
        flushThread(threadName, interval, epochNow());
      });
    },
  };
}

function zeros(length: number): number[] {
  const counts: number[] = [];
  for (let i = 0; i < length; i++) counts[i] = 0;
  return counts;
}
