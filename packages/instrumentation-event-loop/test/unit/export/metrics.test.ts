import { createNoopMeter, metrics as metricsApi, type MeterProvider as ApiMeterProvider } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  MetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { EventLoopMetrics, liveMeterProvider, type ThreadUsage } from '../../../src/export/metrics.js';
import type { BlockTimes } from '../../../src/contract/model.js';
import { OTHER_CULPRITS } from '../../../src/semconv.js';
import { attribution, block, frame } from '../support/builders.js';

class Reader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override onForceFlush = (): Promise<void> => Promise.resolve();
  protected override onShutdown = (): Promise<void> => Promise.resolve();
}

let reader: Reader;
let provider: MeterProvider;
let metrics: EventLoopMetrics;
let threads: ThreadUsage[];

beforeEach(() => {
  reader = new Reader();
  provider = new MeterProvider({ readers: [reader] });
  threads = [];
  metrics = new EventLoopMetrics(true, () => threads);
});

afterEach(async () => {
  metricsApi.disable();
  await provider.shutdown();
});

async function collected(name: string, of = reader): Promise<MetricData | undefined> {
  const { resourceMetrics } = await of.collect();
  return resourceMetrics.scopeMetrics
    .flatMap((scope) => scope.metrics)
    .find(({ descriptor }) => descriptor.name === name);
}

interface Point {
  readonly attributes: Record<string, unknown>;
  readonly value: { count: number; sum?: number; buckets: { boundaries: number[]; counts: number[] } };
}

async function points(name: string, of = reader): Promise<Point[]> {
  return ((await collected(name, of))?.dataPoints ?? []) as unknown as Point[];
}

function times(runQueueMs: number | undefined): BlockTimes {
  return { cpuMs: 900, runQueueMs, gcMs: undefined };
}

function blockOf(functionName: string, durationMs: number, threadName = 'main') {
  return block({ durationMs, threadName, attribution: attribution({ culprit: frame(functionName) }) });
}

describe('event_loop.lag', () => {
  test('is a histogram in seconds, with 1 s among its boundaries', async () => {
    metrics.recordLags(provider, [0], 'main');
    const lag = await collected('event_loop.lag');
    expect(lag).toMatchObject({ dataPointType: DataPointType.HISTOGRAM, descriptor: { unit: 's' } });
    const [point] = await points('event_loop.lag');
    const { boundaries } = point!.value.buckets;
    expect(boundaries).toContain(1);
    expect(boundaries[0]).toBe(0.001);
    expect(boundaries.at(-1)).toBe(60);
    expect(boundaries).toEqual([...boundaries].sort((a, b) => a - b));
  });

  test('has one sample for each lag, in seconds, by thread', async () => {
    metrics.recordLags(provider, [3000, 2000, 1000], 'main');
    metrics.recordLags(provider, [1], 'pool');
    const found = await points('event_loop.lag');
    expect(found.map(({ attributes, value }) => [attributes, value.count, value.sum])).toEqual([
      [{ 'thread.name': 'main' }, 3, 6],
      [{ 'thread.name': 'pool' }, 1, 0.001],
    ]);
  });
});

describe('event_loop.blocked.duration', () => {
  test('counts a block by cause, thread and culprit, in seconds', async () => {
    metrics.recordBlock(provider, blockOf('createSpans', 250));
    expect(await collected('event_loop.blocked.duration')).toMatchObject({ descriptor: { unit: 's' } });
    const [point] = await points('event_loop.blocked.duration');
    expect(point).toMatchObject({
      attributes: {
        'event_loop.blocked.cause': 'javascript',
        'thread.name': 'main',
        'code.function.name': 'createSpans',
      },
      value: { count: 1, sum: 0.25 },
    });
  });

  test('has beside it the time that the block waited for a CPU, by the same attributes', async () => {
    metrics.recordBlock(provider, { ...blockOf('createSpans', 3000), times: times(2000) });
    metrics.recordBlock(provider, { ...blockOf('createSpans', 1000), times: times(0) });
    expect(await collected('event_loop.blocked.run_queue_time')).toMatchObject({
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      descriptor: { unit: 's' },
    });
    const [waited, ...others] = (await collected('event_loop.blocked.run_queue_time'))!.dataPoints;
    const [lasted] = await points('event_loop.blocked.duration');
    expect(others).toEqual([]);
    expect(waited).toMatchObject({ attributes: lasted!.attributes, value: 2 });
    expect(lasted!.value.sum).toBe(4);
  });

  test('has no time that the block waited for a CPU where that is unknown', async () => {
    metrics.recordBlock(provider, { ...blockOf('createSpans', 3000), times: times(undefined) });
    expect((await collected('event_loop.blocked.run_queue_time'))?.dataPoints ?? []).toEqual([]);
  });

  test('has no culprit where none is known', async () => {
    metrics.recordBlock(provider, block({ attribution: attribution({ culprit: undefined }) }));
    const [point] = await points('event_loop.blocked.duration');
    expect(point!.attributes).not.toHaveProperty('code.function.name');
  });

  test('names a function without a name as V8 does', async () => {
    metrics.recordBlock(provider, blockOf('', 250));
    const [point] = await points('event_loop.blocked.duration');
    expect(point!.attributes).toHaveProperty(['code.function.name'], '<anonymous>');
  });

  test('has no culprit without captureStacks', async () => {
    new EventLoopMetrics(false, () => []).recordBlock(provider, blockOf('chargeCreditCard', 250));
    expect(JSON.stringify(await points('event_loop.blocked.duration'))).not.toContain('chargeCreditCard');
  });

  test('has a bounded number of series for a thousand culprits, and loses no block', async () => {
    for (let i = 0; i < 1000; i++) metrics.recordBlock(provider, blockOf(`f${i}`, 100));
    const found = await points('event_loop.blocked.duration');
    expect(found).toHaveLength(21);
    expect(found.map(({ attributes }) => attributes['code.function.name'])).toContain(OTHER_CULPRITS);
    expect(found.reduce((sum, { value }) => sum + value.count, 0)).toBe(1000);
  });

  test('has no control character and no unbounded name', async () => {
    metrics.recordBlock(provider, blockOf(`a\u001b[31m${'x'.repeat(5000)}`, 100));
    const [point] = await points('event_loop.blocked.duration');
    const name = String(point!.attributes['code.function.name']);
    expect(name.length).toBeLessThanOrEqual(512);
    expect(name).not.toContain('\u001b');
  });

  test('has no control character of a thread name, like the other metrics', async () => {
    const threadName = `pool\u001b[31m${'x'.repeat(5000)}`;
    threads = [{ threadName, count: 1, utilization: 0, idleAgeSeconds: 0 }];
    metrics.recordBlock(provider, blockOf('f', 100, threadName));
    metrics.recordLags(provider, [1], threadName);
    const names = ['event_loop.blocked.duration', 'event_loop.lag', 'event_loop.threads'].map(async (metric) => {
      const [point] = await points(metric);
      return String(point!.attributes['thread.name']);
    });
    for (const name of await Promise.all(names)) expect(name).toMatch(/^pool\uFFFD\[31mx{1,510}…$/);
  });
});

describe('threads', () => {
  test('are counted by name, with how busy they are and for how long they have been idle', async () => {
    threads = [
      { threadName: 'main', count: 0, utilization: 0.25, idleAgeSeconds: 0 },
      { threadName: 'consumer', count: 7, utilization: 0.001, idleAgeSeconds: 3600 },
    ];
    metrics.recordLags(provider, [0], 'main');
    const { resourceMetrics } = await reader.collect();
    const found = resourceMetrics.scopeMetrics
      .flatMap((scope) => scope.metrics)
      .filter(({ dataPointType }) => dataPointType !== DataPointType.HISTOGRAM)
      .map(({ descriptor, dataPoints }) => [
        descriptor.name,
        descriptor.unit,
        dataPoints.map(({ attributes, value }) => [attributes['thread.name'], value]),
      ]);
    expect(found).toEqual(
      expect.arrayContaining([
        [
          'event_loop.threads',
          '{thread}',
          [
            ['main', 0],
            ['consumer', 7],
          ],
        ],
        [
          'event_loop.utilization',
          '1',
          [
            ['main', 0.25],
            ['consumer', 0.001],
          ],
        ],
        [
          'event_loop.thread.idle_age',
          's',
          [
            ['main', 0],
            ['consumer', 3600],
          ],
        ],
      ]),
    );
  });
});

describe('closing', () => {
  test('ends the observation of the threads: only the metrics that come next read them', async () => {
    let reads = 0;
    const read = (): ThreadUsage[] => {
      reads++;
      return [{ threadName: 'main', count: 0, utilization: 0.5, idleAgeSeconds: 0 }];
    };
    for (let i = 0; i < 50; i++) {
      const next = new EventLoopMetrics(true, read);
      next.recordLags(provider, [1], 'main');
      next.close();
      next.close();
    }
    const last = new EventLoopMetrics(true, read);
    last.recordLags(provider, [1], 'main');
    await reader.collect();
    expect(reads).toBe(1);
  });

  test('does not stop recording', async () => {
    metrics.recordLags(provider, [1], 'main');
    metrics.close();
    metrics.recordLags(provider, [1], 'main');
    expect((await points('event_loop.lag'))[0]?.value.count).toBe(2);
  });
});

describe('another provider', () => {
  test('gets instruments of its own, and earlier values stay with the first', async () => {
    metrics.recordBlock(provider, blockOf('a', 100));
    const later = new Reader();
    const laterProvider = new MeterProvider({ readers: [later] });
    metrics.recordBlock(laterProvider, blockOf('b', 100));
    metrics.recordLags(laterProvider, [5], 'main');
    expect((await points('event_loop.blocked.duration')).map(({ value }) => value.count)).toEqual([1]);
    expect((await points('event_loop.blocked.duration', later)).map(({ value }) => value.count)).toEqual([1]);
    expect(await points('event_loop.lag', later)).toHaveLength(1);
    await laterProvider.shutdown();
  });

  test('is asked for its meter only once while it does not change', () => {
    let asked = 0;
    const counting: ApiMeterProvider = {
      getMeter: () => {
        asked++;
        return createNoopMeter();
      },
    };
    for (let i = 0; i < 100; i++) metrics.recordLags(counting, [1], 'main');
    expect(asked).toBe(1);
  });
});

describe('the provider to record with', () => {
  test('is the one that was set', () => {
    metricsApi.setGlobalMeterProvider(new MeterProvider());
    expect(liveMeterProvider(provider)).toBe(provider);
  });

  test('is the global one where none was set', () => {
    metricsApi.setGlobalMeterProvider(provider);
    expect(liveMeterProvider(undefined)).toBe(provider);
  });

  test('is the global one where the one that was set is a no-op', () => {
    metricsApi.setGlobalMeterProvider(provider);
    expect(liveMeterProvider({ getMeter: () => createNoopMeter() })).toBe(provider);
  });

  test('is not asked for a meter after its shutdown, for which the SDK would log a warning', async () => {
    const getMeter = jest.spyOn(provider, 'getMeter');
    expect(liveMeterProvider(provider)).toBe(provider);
    const timesAsked = getMeter.mock.calls.length;
    await provider.shutdown();
    liveMeterProvider(provider);
    expect(getMeter.mock.calls.length).toBe(timesAsked);
  });

  test('is found when the SDK sets it after the start', () => {
    const before = liveMeterProvider(undefined);
    metricsApi.setGlobalMeterProvider(provider);
    expect(before).not.toBe(provider);
    expect(liveMeterProvider(undefined)).toBe(provider);
  });
});
