import {
  SpanKind,
  type Attributes,
  type Histogram,
  type MeterProvider,
  type ObservableCallback,
  type ObservableResult,
  type TracerProvider,
} from '@opentelemetry/api';
import { fromShared } from '../contract/clock.js';
import { guarded } from '../contract/guard.js';
import type { PoolReadings, PoolStarvationSeen } from '../contract/thread-pool-data.js';
import {
  ATTR_LIBUV_THREAD_POOL_HOLDERS,
  ATTR_LIBUV_THREAD_POOL_LANE,
  ATTR_LIBUV_THREAD_POOL_QUEUED,
  ATTR_LIBUV_THREAD_POOL_REQUESTS,
  ATTR_LIBUV_THREAD_POOL_SIZE,
  METRIC_LIBUV_THREAD_POOL_BUSY,
  METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT,
  SCOPE_NAME,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '../semconv.js';
import type { ThreadPoolMessage } from '../types.js';
import { PACKAGE_VERSION } from '../version.js';
import { deliver } from './block-channel.js';
import { threadPoolChannel } from './channels.js';
import { claimReport } from './claim-report.js';
import type { HeldSpans } from './held-spans.js';
import { meterOf } from './meter.js';
import { BOUNDARIES_S } from './metrics.js';

/** Reports libuv's thread pool: two metrics, and a span for a task that waited for long. */
export class ThreadPoolReporter {
  readonly #heldSpans: HeldSpans;
  #provider: MeterProvider | undefined;
  #queueWait: Histogram | undefined;
  #stopObserving: (() => void) | undefined;
  #busyShares: number[] = [];

  constructor(heldSpans: HeldSpans) {
    this.#heldSpans = heldSpans;
  }

  record(provider: MeterProvider, readings: PoolReadings): void {
    if (!claimReport(readings, provider)) return;
    const queueWait = this.#queueWaitOf(provider);
    for (const { waitMs, lane } of readings.waits) queueWait.record(waitMs / 1000, laneAttribute(lane));
    if (readings.busyShare !== undefined)
      this.#busyShares = [...this.#busyShares.slice(-MAX_SHARES), readings.busyShare];
  }

  reportStarvation(provider: TracerProvider, starvation: PoolStarvationSeen): void {
    if (!claimReport(starvation, provider)) return;
    const { queuedAt, ranAt, lane, size, holders, queued, requests } = starvation;
    const span = provider.getTracer(SCOPE_NAME, PACKAGE_VERSION).startSpan(SPAN_LIBUV_THREAD_POOL_STARVED, {
      kind: SpanKind.INTERNAL,
      root: true,
      startTime: fromShared(queuedAt),
      attributes: {
        ...laneAttribute(lane),
        ...(size === undefined ? {} : { [ATTR_LIBUV_THREAD_POOL_SIZE]: size }),
        ...(holders.length === 0 ? {} : { [ATTR_LIBUV_THREAD_POOL_HOLDERS]: [...holders] }),
        ...(queued.length === 0 ? {} : { [ATTR_LIBUV_THREAD_POOL_QUEUED]: [...queued] }),
        ...(requests.length === 0 ? {} : { [ATTR_LIBUV_THREAD_POOL_REQUESTS]: [...requests] }),
      },
    });
    this.#heldSpans.end(span, fromShared(ranAt));
  }

  /** Publishes the wait where something subscribes; the first of several instrumentations does. */
  publish(starvation: PoolStarvationSeen, epochOffset: number): void {
    if (!threadPoolChannel.hasSubscribers || !claimReport(starvation, threadPoolChannel)) return;
    const { queuedAt, ranAt, lane, size, holders, queued, requests, poolWait } = starvation;
    const message: ThreadPoolMessage = Object.freeze({
      startEpochMs: epochOffset + fromShared(queuedAt),
      durationMs: ranAt - queuedAt,
      hasEnded: poolWait === 'ended',
      holders,
      queued,
      requests,
      ...(size === undefined ? {} : { size }),
      ...(lane === 'any' ? {} : { lane }),
    });
    deliver(threadPoolChannel, message);
  }

  close(): void {
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    this.#provider = undefined;
  }

  #queueWaitOf(provider: MeterProvider): Histogram {
    if (this.#queueWait && this.#provider === provider) return this.#queueWait;
    this.close();
    this.#provider = provider;
    const meter = meterOf(provider);
    const busy = meter.createObservableGauge(METRIC_LIBUV_THREAD_POOL_BUSY, {
      description: 'Share of the threads of the pool that work: the mean since the last collection.',
      unit: '1',
    });
    const observe: ObservableCallback = guarded((result: ObservableResult) => {
      const shares = this.#busyShares;
      if (shares.length === 0) return;
      result.observe(shares.reduce((sum, share) => sum + share, 0) / shares.length);
      this.#busyShares = [];
    });
    busy.addCallback(observe);
    this.#stopObserving = () => {
      busy.removeCallback(observe);
    };
    this.#queueWait = meter.createHistogram(METRIC_LIBUV_THREAD_POOL_QUEUE_WAIT, {
      description: "How long a task waits for a thread of libuv's pool, whenever it arrives.",
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES_S },
    });
    return this.#queueWait;
  }
}

/** Readings that are kept between two collections, one a second. */
const MAX_SHARES = 600;

function laneAttribute(lane: PoolStarvationSeen['lane']): Attributes {
  return lane === 'any' ? {} : { [ATTR_LIBUV_THREAD_POOL_LANE]: lane };
}
