import { beforeAll, describe, expect, test } from '@jest/globals';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  MetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

import { MalformedBodyError } from '../../src/cli/otlp/decoded.js';
import { decodeMetricsJson, decodeTracesJson } from '../../src/cli/otlp/json.js';
import { decodeMetrics, decodeTraces } from '../../src/cli/otlp/protobuf.js';
import { field, fixed64Field } from '../support/protobuf.js';

/** The SDK's serialisers write the input: both formats must decode to the same data. */

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const START_MS = 1_795_263_286_715.525;
const resource = resourceFromAttributes({ 'service.name': 'demo', 'process.pid': 42 });

class ManualReader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function exportSpans(): Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0] {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const parent = trace.setSpanContext(context.active(), {
    traceId: TRACE_ID,
    spanId: 'b7ad6b7169203331',
    traceFlags: 1,
  });
  const span = provider.getTracer('a scope').startSpan(
    'event-loop-blocked',
    {
      kind: SpanKind.SERVER,
      startTime: START_MS,
      attributes: {
        text: 'ünïcode and more than twelve',
        whole: -7,
        large: 2 ** 40,
        part: 1.25,
        yes: true,
        list: ['a', 'b'],
      },
      links: [{ context: { traceId: TRACE_ID, spanId: 'c7ad6b7169203332', traceFlags: 1 } }],
    },
    parent,
  );
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(START_MS + 1_240);
  return exporter.getFinishedSpans();
}

async function exportMetrics(exponential = false): Promise<ResourceMetrics> {
  const reader = new ManualReader({
    aggregationTemporalitySelector: () => AggregationTemporality.DELTA,
    ...(exponential && { aggregationSelector: () => ({ type: AggregationType.EXPONENTIAL_HISTOGRAM }) }),
  });
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('a scope');
  const lag = meter.createHistogram('event_loop.lag', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.1, 1] },
  });
  for (const seconds of [0.0005, 0.05, 0.06, 3]) lag.record(seconds, { 'thread.name': 'main' });
  if (!exponential) meter.createUpDownCounter('event_loop.threads').add(-3);
  return (await reader.collect()).resourceMetrics;
}

describe('a span', () => {
  const spans = exportSpans();
  const protobuf = ProtobufTraceSerializer.serializeRequest(spans)!;
  const json = Buffer.from(JsonTraceSerializer.serializeRequest(spans)!).toString();

  test('is read from protobuf', () => {
    expect(decodeTraces(protobuf)).toEqual([
      {
        resource: { 'service.name': 'demo', 'process.pid': 42 },
        scope: 'a scope',
        spans: [
          {
            traceId: TRACE_ID,
            spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
            parentSpanId: 'b7ad6b7169203331',
            name: 'event-loop-blocked',
            kind: 2,
            startMs: expect.closeTo(START_MS, 2),
            endMs: expect.closeTo(START_MS + 1_240, 2),
            attributes: {
              text: 'ünïcode and more than twelve',
              whole: -7,
              large: 2 ** 40,
              part: 1.25,
              yes: true,
              list: ['a', 'b'],
            },
            statusCode: 2,
            links: [{ traceId: TRACE_ID, spanId: 'c7ad6b7169203332' }],
          },
        ],
      },
    ]);
  });

  test('is the same from JSON', () => {
    expect(decodeTracesJson(json)).toEqual(decodeTraces(protobuf));
  });

  test('may have an attribute of any name', () => {
    const [group] = decodeTracesJson(json.replace('"whole"', '"__proto__"'));
    expect(Object.keys(group!.spans[0]!.attributes)).toContain('__proto__');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe('a metric', () => {
  let explicit: ResourceMetrics;
  let exponential: ResourceMetrics;
  beforeAll(async () => {
    explicit = await exportMetrics();
    exponential = await exportMetrics(true);
  });

  test('is read from protobuf', () => {
    const metrics = decodeMetrics(ProtobufMetricsSerializer.serializeRequest(explicit)!);
    expect(metrics).toMatchObject([
      {
        name: 'event_loop.lag',
        unit: 's',
        scope: 'a scope',
        temporality: 'delta',
        points: [{ bounds: [0.001, 0.1, 1], counts: [1, 2, 0, 1], max: 3, attributes: { 'thread.name': 'main' } }],
      },
      { name: 'event_loop.threads', points: [{ value: -3 }] },
    ]);
  });

  test('is the same from JSON', () => {
    const json = Buffer.from(JsonMetricsSerializer.serializeRequest(explicit)!).toString();
    expect(decodeMetricsJson(json)).toEqual(decodeMetrics(ProtobufMetricsSerializer.serializeRequest(explicit)!));
  });

  test('may be an exponential histogram', () => {
    const [fromProtobuf] = decodeMetrics(ProtobufMetricsSerializer.serializeRequest(exponential)!);
    const [fromJson] = decodeMetricsJson(Buffer.from(JsonMetricsSerializer.serializeRequest(exponential)!).toString());
    expect(fromJson).toEqual(fromProtobuf);
    const { bounds = [], counts = [] } = fromProtobuf!.points[0]!;
    expect(counts).toHaveLength(bounds.length + 1);
    expect(counts.reduce((a, b) => a + b, 0)).toBe(4);
    const holding = (seconds: number): number => bounds.findIndex((bound) => seconds <= bound);
    expect(counts[holding(3)]).toBe(1);
    expect(counts[holding(0.0005)]).toBe(1);
  });
});

describe('a malformed body', () => {
  const body = ProtobufTraceSerializer.serializeRequest(exportSpans())!;

  test('of protobuf that is truncated at any byte is refused or read in part, without another error', () => {
    const errors = Array.from({ length: body.length - 1 }, (_, length) =>
      errorOf(() => decodeTraces(body.subarray(0, length))),
    );
    expect(errors.filter((error) => error !== undefined && !(error instanceof MalformedBodyError))).toEqual([]);
    expect(errors.filter((error) => error instanceof MalformedBodyError).length).toBeGreaterThan(body.length * 0.9);
  });

  test('of protobuf with any byte changed throws nothing but its own error', () => {
    const errors = Array.from({ length: body.length }, (_, index) => {
      const changed = body.slice();
      changed[index] = (changed[index]! + 0x81) & 0xff;
      return errorOf(() => decodeTraces(changed));
    });
    expect(errors.filter((error) => error !== undefined && !(error instanceof MalformedBodyError))).toEqual([]);
  });

  test('of deeply nested values is refused', () => {
    let value: Buffer = Buffer.alloc(0);
    // AnyValue { array_value { values: AnyValue { … } } }
    for (let depth = 0; depth < 5_000; depth += 1) value = field(5, field(1, value));
    const attribute = field(1, Buffer.concat([field(1, Buffer.from('deep')), field(2, value)]));
    const request = field(1, field(1, attribute));
    expect(errorOf(() => decodeTraces(request))).toBeInstanceOf(MalformedBodyError);
  });

  test.each([
    ['invalid JSON', '{'],
    ['an array', '[]'],
    ['a number where spans should be', '{"resourceSpans": 3}'],
    ['a span that is text', '{"resourceSpans":[{"scopeSpans":[{"spans":["x"]}]}]}'],
    ['a time that is no number', '{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"soon"}]}]}]}'],
    ['an id that is a number', '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}'],
  ])('of JSON is refused: %s', (_what, json) => {
    expect(() => decodeTracesJson(json)).toThrow(MalformedBodyError);
  });

  test('reports what was expected and what was found', () => {
    expect(() => decodeTracesJson('{"resourceSpans": 3}')).toThrow(
      'Expected an array as resourceSpans in OTLP/JSON, got 3.',
    );
  });
});

describe('both encodings have the same fields', () => {
  const point = { attributes: {}, startMs: 0, endMs: 1 };

  test('a point without a value has none, and a field that it cannot have is not read', () => {
    const dataPoints = [{ timeUnixNano: '1000000', max: 3 }];
    const json = {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'a', unit: null, gauge: { dataPoints } }] }] }],
    };
    const gauge = field(5, field(1, fixed64Field(3, 1_000_000n)));
    const request = field(1, field(2, field(2, field(1, 'a'), gauge)));
    for (const [metric] of [decodeMetricsJson(JSON.stringify(json)), decodeMetrics(request)]) {
      expect(metric).toMatchObject({ name: 'a', unit: '', temporality: 'none' });
      expect(metric?.points).toEqual([point]);
      expect(metric?.points[0]).not.toHaveProperty('value');
    }
  });

  test('an attribute may be named like a property of all objects', () => {
    const json = {
      resourceSpans: [
        { resource: { attributes: [{ key: '__proto__', value: { stringValue: 'x' } }] }, scopeSpans: [{}] },
      ],
    };
    const pair = field(1, field(1, '__proto__'), field(2, field(1, 'x')));
    const request = field(1, field(1, pair), field(2));
    for (const [group] of [decodeTracesJson(JSON.stringify(json)), decodeTraces(request)]) {
      expect(Object.entries(group?.resource ?? {})).toEqual([['__proto__', 'x']]);
    }
  });
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}
