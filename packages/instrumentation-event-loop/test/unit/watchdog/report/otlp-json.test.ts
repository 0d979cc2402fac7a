import { SpanKind, trace, ROOT_CONTEXT, TraceFlags } from '@opentelemetry/api';
import { JsonMetricsSerializer, JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from '@jest/globals';
import type { PlainAttributes } from '../../../../src/contract/hang-report.js';
import { hangRequest, stalledRequest } from '../../../../src/watchdog/report/otlp-json.js';
import { METRIC_EVENT_LOOP_STALLED, SCOPE_NAME, SPAN_EVENT_LOOP_HANG } from '../../../../src/semconv.js';
import { PACKAGE_VERSION } from '../../../../src/version.js';

const RESOURCE: PlainAttributes = { 'service.name': 'checkout', 'process.pid': 42, 'k8s.pod.labels': ['a', 'b'] };
const ATTRIBUTES: PlainAttributes = {
  'code.function.name': 'createSpans',
  'code.line.number': 12,
  'event_loop.blocked.cpu_time': 4.75,
  'event_loop.blocked.pending': ['Timeout×1', 'TCPSocketWrap×2'],
  'thread.id': 0,
  flag: true,
};
const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const LINK = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
const START_EPOCH_MS = 1_795_264_638_935;
const END_EPOCH_MS = START_EPOCH_MS + 5000;

/**
 * Leaves out what the serializer of the SDK writes although it is the default of the message: counts of dropped items,
 * empty lists, a status without a code. It may write numbers where the specification has strings.
 */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !/^dropped\w+Count$/.test(key) && key !== 'flags')
    .filter(([, field]) => !(Array.isArray(field) && field.length === 0))
    .filter(([key, field]) => !(key === 'code' && field === 0))
    .map(([key, field]) => [key, key === 'intValue' ? Number(field) : withoutDefaults(field)]);
  return Object.fromEntries(entries);
}

function sdkTraces(): unknown {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes(RESOURCE),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...PARENT, traceFlags: TraceFlags.SAMPLED });
  const span = provider.getTracer(SCOPE_NAME, PACKAGE_VERSION).startSpan(
    SPAN_EVENT_LOOP_HANG,
    {
      kind: SpanKind.INTERNAL,
      startTime: START_EPOCH_MS,
      attributes: { ...ATTRIBUTES },
      links: [{ context: { ...LINK, traceFlags: TraceFlags.SAMPLED } }],
    },
    parent,
  );
  span.end(END_EPOCH_MS);
  return decoded(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()));
}

function decoded(bytes: Uint8Array | undefined): unknown {
  return JSON.parse(Buffer.from(bytes!).toString('utf8'));
}

function hangTraces(overrides: Partial<Parameters<typeof hangRequest>[1]> = {}): {
  resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
} {
  return JSON.parse(
    hangRequest(RESOURCE, {
      ids: { traceId: PARENT.traceId, spanId: 'c'.repeat(16) },
      parentSpanId: PARENT.spanId,
      links: [LINK],
      startEpochMs: START_EPOCH_MS,
      endEpochMs: END_EPOCH_MS,
      attributes: ATTRIBUTES,
      ...overrides,
    }),
  ) as ReturnType<typeof hangTraces>;
}

describe('an attribute that OTLP has no value for', () => {
  const valueOf = (value: unknown): unknown => {
    const body = stalledRequest({ key: value } as PlainAttributes, 1, 0, {});
    const request = JSON.parse(body) as { resourceMetrics: { resource: { attributes: { value: unknown }[] } }[] };
    return request.resourceMetrics[0]?.resource.attributes[0]?.value;
  };

  test.each([
    ['a hole in a list', ['a', null], { arrayValue: { values: [{ stringValue: 'a' }, {}] } }],
    ['an object in a list', [{ a: 1 }], { arrayValue: { values: [{}] } }],
    ['NaN', NaN, { doubleValue: 'NaN' }],
    ['an infinite number', -Infinity, { doubleValue: '-Infinity' }],
    ['an integer that does not fit in 64 bits', 1e21, { doubleValue: 1e21 }],
  ])('is encoded as one that it has: %s', (_, value, expected) => {
    expect(valueOf(value)).toEqual(expected);
  });
});

describe('the span of a hang', () => {
  test("is encoded as the SDK's own serializer encodes it", () => {
    const expected = withoutDefaults(sdkTraces()) as ReturnType<typeof hangTraces>;
    expected.resourceSpans[0]!.scopeSpans[0]!.spans[0]!['spanId'] = 'c'.repeat(16);
    expect(withoutDefaults(hangTraces())).toEqual(expected);
  });

  test('has no parent where none is given', () => {
    expect(hangTraces({ parentSpanId: undefined }).resourceSpans[0]?.scopeSpans[0]?.spans[0]).not.toHaveProperty(
      'parentSpanId',
    );
  });

  test('is flagged as sampled', () => {
    expect(Number(hangTraces().resourceSpans[0]?.scopeSpans[0]?.spans[0]?.['flags']) & TraceFlags.SAMPLED).toBe(1);
  });

  test('has its times as strings of whole nanoseconds, also of fractions of a millisecond', () => {
    const [span] = hangTraces({ startEpochMs: START_EPOCH_MS + 0.25, endEpochMs: END_EPOCH_MS }).resourceSpans[0]!
      .scopeSpans[0]!.spans;
    expect(span?.['startTimeUnixNano']).toBe('1795264638935250000');
    expect(span?.['endTimeUnixNano']).toBe('1795264643935000000');
  });

  test('keeps any text', () => {
    const name = 'größe "quoted" \u2028 🐢 \\';
    const [span] = hangTraces({ attributes: { name } }).resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(span?.['attributes']).toEqual([{ key: 'name', value: { stringValue: name } }]);
  });

  test('has 64-bit integers as strings, as the specification wants them', () => {
    const [span] = hangTraces({ attributes: { n: 2 ** 40 } }).resourceSpans[0]!.scopeSpans[0]!.spans;
    expect(span?.['attributes']).toEqual([{ key: 'n', value: { intValue: '1099511627776' } }]);
  });
});

describe('the gauge of a stall', () => {
  class Reader extends MetricReader {
    constructor() {
      super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
    }
    protected override onForceFlush = (): Promise<void> => Promise.resolve();
    protected override onShutdown = (): Promise<void> => Promise.resolve();
  }

  test("is encoded as the SDK's own serializer encodes it", async () => {
    const reader = new Reader();
    const provider = new MeterProvider({
      resource: resourceFromAttributes(RESOURCE),
      readers: [reader],
    });
    const attributes = { 'thread.id': 0, 'thread.name': 'main' };
    const epochMs = Date.now();
    const actual = withoutDefaults(JSON.parse(stalledRequest(RESOURCE, 3.5, epochMs, attributes))) as GaugeRequest;
    const gauge = provider.getMeter(SCOPE_NAME, PACKAGE_VERSION).createGauge(METRIC_EVENT_LOOP_STALLED, {
      unit: 's',
      description: actual.resourceMetrics[0]!.scopeMetrics[0]!.metrics[0]!.description,
    });
    gauge.record(3.5, attributes);
    const { resourceMetrics } = await reader.collect();
    await provider.shutdown();
    const expected = withoutDefaults(decoded(JsonMetricsSerializer.serializeRequest(resourceMetrics))) as GaugeRequest;
    for (const request of [actual, expected]) {
      const [point] = request.resourceMetrics[0]!.scopeMetrics[0]!.metrics[0]!.gauge.dataPoints;
      expect(Number(point!['timeUnixNano']) / 1e6).toBeGreaterThan(epochMs - 1000);
      // A gauge needs no start time; the SDK sets that of its creation.
      delete point!['timeUnixNano'];
      delete point!['startTimeUnixNano'];
    }
    expect(actual).toEqual(expected);
  });

  interface GaugeRequest {
    resourceMetrics: {
      scopeMetrics: { metrics: { description: string; gauge: { dataPoints: Record<string, unknown>[] } }[] }[];
    }[];
  }
});
