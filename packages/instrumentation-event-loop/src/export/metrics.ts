import {
  createNoopMeter,
  type Attributes,
  type BatchObservableCallback,
  type Counter,
  type Histogram,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import { Map, WeakMap } from '../contract/built-ins.js';
import { guarded } from '../contract/guard.js';
import type { Block } from '../contract/model.js';
import { printable } from '../contract/printable.js';
import {
  ATTR_BLOCKED_CAUSE,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
  METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME,
  METRIC_EVENT_LOOP_LAG,
  METRIC_EVENT_LOOP_THREAD_IDLE_AGE,
  METRIC_EVENT_LOOP_THREADS,
  METRIC_EVENT_LOOP_UTILIZATION,
} from '../semconv.js';
import { BusiestCulprits } from './busiest-culprits.js';
import { codeLocation } from './code-location.js';
import { globalMeterProvider, meterOf } from './meter.js';

/** The SDK's default boundaries suit milliseconds. 1 s is the threshold of the alert. */
export const BOUNDARIES_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Usage of all threads with one name since the last collection. */
export interface ThreadUsage {
  readonly threadName: string;
  /** Live worker threads. */
  readonly count: number;
  /** Share of the time in which their loops were busy, 0 to 1: the mean over the threads. */
  readonly utilization: number;
  /** How long the longest idle of them has been idle. */
  readonly idleAgeSeconds: number;
}

interface Instruments {
  readonly lag: Histogram;
  readonly blockedDuration: Histogram;
  readonly blockedRunQueueTime: Counter;
}

/**
 * The metrics of one instrumentation. Instruments are created at the first recording with a provider, because the
 * metrics API has no proxy: instruments created before the SDK has set its provider remain no-ops.
 */
export class EventLoopMetrics {
  readonly #captureStacks: boolean;
  readonly #busiest = new BusiestCulprits();
  #provider: MeterProvider | undefined;
  #instruments: Instruments | undefined;
  #stopObserving: (() => void) | undefined;
  /** One object for each thread name: creating it for every record would be most of the cost. */
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
    for (let i = 0; i < lagsMs.length; i++) lag.record(lagsMs[i]! / 1000, attributes);
  }

  recordBlock(provider: MeterProvider, block: Block): void {
    const { culprit, cause } = block.attribution;
    const name = culprit && codeLocation(culprit).functionName;
    const attributes = {
      [ATTR_BLOCKED_CAUSE]: cause,
      [ATTR_THREAD_NAME]: printable(block.threadName),
      ...(this.#captureStacks && name
        ? { [ATTR_CODE_FUNCTION_NAME]: this.#busiest.nameFor(name, block.durationMs) }
        : {}),
    };
    const { blockedDuration, blockedRunQueueTime } = this.#instrumentsOf(provider);
    blockedDuration.record(block.durationMs / 1000, attributes);
    // Where the system does not report it, no series says that it was 0.
    const { runQueueMs } = block.times;
    if (runQueueMs !== undefined) blockedRunQueueTime.add(runQueueMs / 1000, attributes);
  }

  /** Stops observing the threads: each read resets the usage, so two observers would take it from each other. */
  close(): void {
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    this.#provider = undefined;
    this.#instruments = undefined;
  }

  #instrumentsOf(provider: MeterProvider): Instruments {
    if (this.#instruments && this.#provider === provider) return this.#instruments;
    this.close();
    const meter = meterOf(provider);
    const advice = { explicitBucketBoundaries: BOUNDARIES_S };
    this.#provider = provider;
    this.#stopObserving = observeThreads(meter, this.#readThreads);
    this.#instruments = {
      lag: meter.createHistogram(METRIC_EVENT_LOOP_LAG, {
        description: 'How long an event waits for the event loop, whenever it arrives.',
        unit: 's',
        advice,
      }),
      blockedDuration: meter.createHistogram(METRIC_EVENT_LOOP_BLOCKED_DURATION, {
        description: 'Duration of the blocks of the event loop, including those without a span.',
        unit: 's',
        advice,
      }),
      blockedRunQueueTime: meter.createCounter(METRIC_EVENT_LOOP_BLOCKED_RUN_QUEUE_TIME, {
        description: 'Part of the duration of the blocks in which the thread was ready to run and waited for a CPU.',
        unit: 's',
      }),
    };
    return this.#instruments;
  }
}

/** Observes the threads; a leak of worker threads shows as a rising count. Returns a function that stops it. */
function observeThreads(meter: Meter, readThreads: () => readonly ThreadUsage[]): () => void {
  const threads = meter.createObservableUpDownCounter(METRIC_EVENT_LOOP_THREADS, {
    description: 'Live worker threads.',
    unit: '{thread}',
  });
  const utilization = meter.createObservableGauge(METRIC_EVENT_LOOP_UTILIZATION, {
    description: 'Share of the time in which the event loop was not idle: the mean of all threads with this name.',
    unit: '1',
  });
  const idleAge = meter.createObservableGauge(METRIC_EVENT_LOOP_THREAD_IDLE_AGE, {
    description: 'How long the longest idle thread with this name has been idle.',
    unit: 's',
  });
  const observed = [threads, utilization, idleAge];
  const observe: BatchObservableCallback = guarded((result: Parameters<BatchObservableCallback>[0]) => {
    const usages = readThreads();
    for (let i = 0; i < usages.length; i++) {
      const usage = usages[i]!;
      const attributes = { [ATTR_THREAD_NAME]: printable(usage.threadName) };
      result.observe(utilization, usage.utilization, attributes);
      result.observe(idleAge, usage.idleAgeSeconds, attributes);
      result.observe(threads, usage.count, attributes);
    }
  });
  meter.addBatchObservableCallback(observe, observed);
  return () => {
    meter.removeBatchObservableCallback(observe, observed);
  };
}

/** The provider to record with: the configured one, or the global one where that is missing or a no-op. */
export function liveMeterProvider(configured: MeterProvider | undefined): MeterProvider {
  return configured === undefined || isNoop(configured) ? globalMeterProvider() : configured;
}

/** Each provider is asked once. */
function isNoop(provider: MeterProvider): boolean {
  let answer = noopProviders.get(provider);
  if (answer === undefined) {
    answer = meterOf(provider) === createNoopMeter();
    noopProviders.set(provider, answer);
  }
  return answer;
}

const noopProviders = new WeakMap<MeterProvider, boolean>();
