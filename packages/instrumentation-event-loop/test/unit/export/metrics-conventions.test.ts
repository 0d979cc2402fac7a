import { conventions } from '@loopwatch/conventions';
import { AggregationTemporality, DataPointType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventLoopMetrics } from '../../../src/export/metrics.js';
import { BusyTimeReporter } from '../../../src/export/busy-time-reporter.js';
import { ThreadPoolReporter } from '../../../src/export/thread-pool-reporter.js';
import { stalledRequest } from '../../../src/watchdog/report/otlp-json.js';
import { attribution, block, frame } from '../support/builders.js';
import { heldSpans } from '../support/tracing.js';

class Reader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }
  protected override onForceFlush = (): Promise<void> => Promise.resolve();
  protected override onShutdown = (): Promise<void> => Promise.resolve();
}

interface Descriptor {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly instrument: string;
}

const reader = new Reader();
const provider = new MeterProvider({ readers: [reader] });
let sent: Descriptor[];

beforeAll(async () => {
  const metrics = new EventLoopMetrics(true, () => [
    { threadName: 'pool', count: 1, utilization: 0.5, idleAgeSeconds: 2 },
  ]);
  metrics.recordLags(provider, [1], 'main');
  const times = { cpuMs: 900, runQueueMs: 100, gcMs: undefined };
  metrics.recordBlock(provider, block({ durationMs: 1000, times, attribution: attribution({ culprit: frame('f') }) }));
  new ThreadPoolReporter(heldSpans()).record(provider, { waits: [{ waitMs: 0, lane: 'any' }], busyShare: 0.5 });
  const busyTime = new BusyTimeReporter(true, heldSpans());
  const busyTimes = { start: 0, end: 1000, busyMs: 900, runQueueMs: 0, gcMs: 0 };
  const window = { threadId: 0, threadName: 'main', ...busyTimes, counts: [] };
  busyTime.record(provider, trace.getTracerProvider(), window, {});
  busyTime.settle();
  const { resourceMetrics } = await reader.collect();
  sent = [
    ...resourceMetrics.scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ descriptor: { name, description, unit }, ...data }) => ({
        name,
        description,
        unit,
        instrument: instrumentOf(data.dataPointType, 'isMonotonic' in data && data.isMonotonic),
      })),
    ),
    stalledDescriptor(),
  ];
});

afterAll(async () => {
  await provider.shutdown();
});

const metricsOfPackage = conventions.metrics.filter(({ isMadeByCollector }) => !isMadeByCollector);

test.each(metricsOfPackage)('$name is sent with the instrument, unit and description of the registry', (metric) => {
  const { name, brief: description, unit, instrument } = metric;
  expect(sent.find((each) => each.name === name)).toEqual({ name, description, unit, instrument });
});

test('no metric is sent that the registry does not have', () => {
  expect(sent.map(({ name }) => name).sort()).toEqual(metricsOfPackage.map(({ name }) => name).sort());
});

function instrumentOf(type: DataPointType, isMonotonic: boolean): string {
  if (type === DataPointType.SUM) return isMonotonic ? 'counter' : 'updowncounter';
  return type === DataPointType.GAUGE ? 'gauge' : 'histogram';
}

/** The watchdog writes OTLP by hand. */
function stalledDescriptor(): Descriptor {
  const request = JSON.parse(stalledRequest({}, 1, 0, {})) as {
    resourceMetrics: { scopeMetrics: { metrics: (Omit<Descriptor, 'instrument'> & { gauge?: object })[] }[] }[];
  };
  const { name, description, unit, gauge } = request.resourceMetrics[0]!.scopeMetrics[0]!.metrics[0]!;
  return { name, description, unit, instrument: gauge === undefined ? 'other' : 'gauge' };
}
