import v8 from 'node:v8';
import vm from 'node:vm';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from '@jest/globals';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import { LoopMonitor } from '../../../src/detection/loop-monitor.js';
import { rootTimers } from '../../../src/detection/root-timers.js';
import { SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Block, Frame } from '../../../src/contract/model.js';
import { BlockReporter } from '../../../src/export/block-reporter.js';
import { contextReader } from '../support/context-reader.js';
import { EventLoopMetrics } from '../../../src/export/metrics.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { Subscribers } from '../../../src/monitor/subscribers.js';
import { Judging } from '../../../src/monitor/judging.js';
import { OwnWork } from '../../../src/monitor/own-work.js';
import { frame, sample } from '../support/builders.js';
import { FakeTimers } from '../support/fake-timers.js';
import { SimulatedLoop } from '../support/simulated-loop.js';
import { subscriber } from '../support/subscriber.js';
import { heldSpans } from '../support/tracing.js';

const BLOCKS = 100_000;
const THRESHOLD_MS = 10;
/** More culprits than metrics name. */
const CULPRITS = 60;
/**
 * Memory does not grow after the first fifth of the blocks. V8 compiles and optimises when it likes, which takes up to a
 * megabyte; the smallest object kept for each block takes more than twice as much.
 */
const MAX_GROWTH_BYTES = BLOCKS * 20;

class Reader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override onForceFlush = (): Promise<void> => Promise.resolve();
  protected override onShutdown = (): Promise<void> => Promise.resolve();
}

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 40)); // the timers of the judged blocks fire
    collect();
  }
  return process.memoryUsage().heapUsed;
}

test('a hundred thousand blocks hold no more memory than the first twenty thousand, and each is counted', async () => {
  const reader = new Reader();
  const meters = new MeterProvider({ readers: [reader] });
  const tracer = new TracerProvider().getTracer('soak');
  const loop = new SimulatedLoop();
  const timers = new FakeTimers();
  const registry = new Registry();
  const slot = registry.claim(0, 'main')!;
  const samples = new SampleBuffer();
  const metrics = new EventLoopMetrics(true, () => []);
  const reporter = new BlockReporter(
    { spansPerMinute: 60, captureStacks: true, blockHook: () => undefined },
    heldSpans(),
  );
  const open = new OpenSpans();
  const subscribers = new Subscribers();
  subscribers.add(
    subscriber({
      blockedThresholdMs: THRESHOLD_MS,
      sampleIntervalMs: 1,
      onBlock: (block: Block) => {
        metrics.recordBlock(meters, block);
        reporter.report(block, tracer, [open]);
      },
      onLag: ({ lagsMs, threadName }) => {
        metrics.recordLags(meters, lagsMs, threadName);
      },
    }),
  );
  const ownWork = new OwnWork(loop.now);
  const judging = new Judging({
    subscribers,
    now: loop.now,
    timers: rootTimers,
    ownWork,
    isWorker: false,
    threadName: 'main',
    contexts: contextReader,
    judgeContext: () => ({
      thresholdMs: THRESHOLD_MS,
      excluded: registry.suspensions(),
      standstills: registry.suspensions(),
      ownWork: ownWork.intervals,
      sdkStart: undefined,
      gc: { observedSince: undefined, pauses: [] },
      isSampled: false,
      countsStartUp: false,
      threadId: 0,
      threadName: 'main',
      infoOf: contextReader.infoOf.bind(contextReader),
      mapStack: (stack: readonly Frame[]) => stack,
    }),
    isMapping: () => false,
    heldUntil: () => -Infinity,
    onJudged: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  const monitor = new LoopMonitor({
    clock: loop,
    timers: timers.asRootTimers,
    slot,
    readThreadTimes: () => ({ cpuMs: loop.now() - loop.idleTime(), runQueueMs: 0 }),
    isAppStarted: () => true,
    whenEntryPointEvaluated: () => () => undefined,
    mayEnterIdleMode: () => true,
    observer: {
      onBeat: (periodStart) => {
        samples.dropBefore(periodStart);
      },
      onAppStarted: () => undefined,
      onBusyPeriod: (start, end, startUp) => {
        const hang = registry.takeHangId(slot);
        judging.addPeriod({
          start,
          end,
          startUp,
          mayHaveLostIdle: false,
          hang,
          samples: samples.take(start, end),
          ...monitor.readingsAround(start, end),
        });
      },
      onLag: (lagMs, intervalMs, at) => {
        judging.addLag(lagMs, intervalMs, at);
      },
      onError: (error) => {
        throw error;
      },
    },
  });

  monitor.start(THRESHOLD_MS);
  timers.runImmediates();
  let heapAfterAFifth = 0;
  for (let i = 0; i < BLOCKS; i++) {
    if (i === BLOCKS / 5) heapAfterAFifth = await heapBytes();
    if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
    loop.idle(20);
    const request = tracer.startSpan('GET /', { kind: SpanKind.SERVER });
    open.add(request, ROOT_CONTEXT);
    for (let taken = 0; taken < 3; taken++) {
      loop.run(7);
      const frames = [frame(`handler${i % CULPRITS}`, { functionLineNumber: i % CULPRITS }), frame('main')];
      samples.add(sample(frames, { requestedAt: loop.now(), takenAt: loop.now() }));
    }
    timers.runIntervals();
    timers.runImmediates();
    judging.flush();
    open.remove(request);
    request.end();
  }
  const heapAfterAll = await heapBytes();

  expect(heapAfterAll - heapAfterAFifth).toBeLessThan(MAX_GROWTH_BYTES);
  expect([timers.immediates, timers.intervals.length, samples.size, open.size]).toEqual([1, 1, 0, 0]);
  expect([...registry.live()].map(({ index }) => index)).toEqual([slot.index]);
  expect(slot.getTime(SlotTime.tickAt)).toBeGreaterThan(0);
  const { resourceMetrics } = await reader.collect();
  const blocked = resourceMetrics.scopeMetrics
    .flatMap((scope) => scope.metrics)
    .find(({ descriptor }) => descriptor.name === 'event_loop.blocked.duration');
  const points = (blocked?.dataPoints ?? []) as unknown as { value: { count: number } }[];
  expect(points.reduce((sum, { value }) => sum + value.count, 0)).toBe(BLOCKS);
  expect(points.length).toBeLessThanOrEqual(101);
  monitor.stop();
  await meters.shutdown();
}, 120_000);
