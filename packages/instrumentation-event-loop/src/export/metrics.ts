import {
  createNoopMeter,
  metrics,
  type Attributes,
  type BatchObservableCallback,
  type Histogram,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import type { Block } from '../contract/model.js';
import {
  ATTR_BLOCKED_CAUSE,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
  METRIC_EVENT_LOOP_LAG,
  METRIC_EVENT_LOOP_THREAD_IDLE_AGE,
  METRIC_EVENT_LOOP_THREADS,
  METRIC_EVENT_LOOP_UTILIZATION,
  SCOPE_NAME,
} from '../semconv.js';
import { PACKAGE_VERSION } from '../version.js';
import { codeLocation } from './block-info.js';
import { BusiestCulprits } from './busiest-culprits.js';
import { printable } from '../contract/printable.js';

/** The SDK's default boundaries are made for milliseconds. 1 s is where the alert stands. */
const BOUNDARIES_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What the threads of one name did since the last collection. */
export interface ThreadUsage {
  readonly threadName: string;
  /** Live worker threads. */
  readonly count: number;
  /** 0 to 1. */
  readonly utilization: number;
  readonly idleAgeSeconds: number;
}

interface Instruments {
  readonly lag: Histogram;
  readonly blockedDuration: Histogram;
}

/**
 * The histograms, of whatever meter provider there is at the moment of recording. The metrics API has no proxy:
 * instruments made before the SDK has set its provider stay no-ops for good.
 */
export class EventLoopMetrics {
  readonly #captureStacks: boolean;
  readonly #busiest = new BusiestCulprits();
  #provider: MeterProvider | undefined;
  #instruments: Instruments | undefined;
  #stopObserving: (() => void) | undefined;
  /** One object a thread name: made on every record, it would be most of the cost. */
  readonly #lagAttributes = new Map<string, Attributes>();

  readonly #readThreads: () => readonly ThreadUsage[];

  constructor(captureStacks: boolean, readThreads: () => readonly ThreadUsage[]) {
    this.#captureStacks = captureStacks;
    this.#readThreads = readThreads;
  }

  recordLags(provider: MeterProvider, lagsMs: readonly number[], threadName: string): void {
    const { lag } = this.#instrumentsOf(provider);
    let attributes = this.#lagAttributes.get(threadName);
    if (!attributes) {
      attributes = { [ATTR_THREAD_NAME]: printable(threadName) };
      this.#lagAttributes.set(threadName, attributes);
    }
    for (const lagMs of lagsMs) lag.record(lagMs / 1000, attributes);
  }

  recordBlock(provider: MeterProvider, block: Block): void {
    const { culprit, cause } = block.attribution;
    const name = culprit && codeLocation(culprit).functionName;
    this.#instrumentsOf(provider).blockedDuration.record(block.durationMs / 1000, {
      [ATTR_BLOCKED_CAUSE]: cause,
      [ATTR_THREAD_NAME]: printable(block.threadName),
      ...(this.#captureStacks && name
        ? { [ATTR_CODE_FUNCTION_NAME]: this.#busiest.nameFor(name, block.durationMs) }
        : {}),
    });
  }

  /** Observes the threads no more: the next to do so would read the same ones beside it. */
  close(): void {
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    this.#provider = undefined;
    this.#instruments = undefined;
  }

  #instrumentsOf(provider: MeterProvider): Instruments {
    if (this.#instruments && this.#provider === provider) return this.#instruments;
    this.close();
    const meter = provider.getMeter(SCOPE_NAME, PACKAGE_VERSION);
    const advice = { explicitBucketBoundaries: BOUNDARIES_S };
    this.#provider = provider;
    this.#stopObserving = observeThreads(meter, this.#readThreads);
    this.#instruments = {
      lag: meter.createHistogram(METRIC_EVENT_LOOP_LAG, {
        description: 'What an event that arrives at any moment waits for the event loop.',
        unit: 's',
        advice,
      }),
      blockedDuration: meter.createHistogram(METRIC_EVENT_LOOP_BLOCKED_DURATION, {
        description: 'Blocks of the event loop, also those without a span.',
        unit: 's',
        advice,
      }),
    };
    return this.#instruments;
  }
}

/** Threads that are created and never ended show as a climb. Returns what ends the observation. */
function observeThreads(meter: Meter, readThreads: () => readonly ThreadUsage[]): () => void {
  const threads = meter.createObservableUpDownCounter(METRIC_EVENT_LOOP_THREADS, {
    description: 'Live worker threads.',
    unit: '{thread}',
  });
  const utilization = meter.createObservableGauge(METRIC_EVENT_LOOP_UTILIZATION, {
    description: 'Share of the time in which the event loop was not idle; mean of the threads of a name.',
    unit: '1',
  });
  const idleAge = meter.createObservableGauge(METRIC_EVENT_LOOP_THREAD_IDLE_AGE, {
    description: 'How long the thread that has been idle for longest has been so.',
    unit: 's',
  });
  const observed = [threads, utilization, idleAge];
  const observe: BatchObservableCallback = (result) => {
    for (const usage of readThreads()) {
      const attributes = { [ATTR_THREAD_NAME]: printable(usage.threadName) };
      result.observe(utilization, usage.utilization, attributes);
      result.observe(idleAge, usage.idleAgeSeconds, attributes);
      result.observe(threads, usage.count, attributes);
    }
  };
  meter.addBatchObservableCallback(observe, observed);
  return () => {
    meter.removeBatchObservableCallback(observe, observed);
  };
}

/** The provider to record with: the one that was set, or the global one where that is a no-op. */
export function liveMeterProvider(configured: MeterProvider | undefined): MeterProvider {
  const noopMeter = createNoopMeter();
  return configured === undefined || configured.getMeter(SCOPE_NAME, PACKAGE_VERSION) === noopMeter
    ? metrics.getMeterProvider()
    : configured;
}
