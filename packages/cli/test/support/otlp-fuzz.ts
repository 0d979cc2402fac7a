import fc from 'fast-check';

import type { Attack } from './hostile-otlp.js';
import { attribute, doubleField, field, fixed64Field, integerField } from './protobuf.js';

/*
 * OTLP that is valid in form and hostile in content, in both encodings: every attribute that `serve` reads, with every
 * value that could be a number, a text or a list, and the same with bytes changed.
 */

const NAMES = [
  'service.name',
  'service.namespace',
  'service.instance.id',
  'service.version',
  'process.pid',
  'process.command',
  'process.working_directory',
  'host.name',
  'k8s.pod.name',
  'vcs.repository.url.full',
  'vcs.ref.head.revision',
  'code.function.name',
  'code.file.path',
  'code.line.number',
  'code.column.number',
  'code.stacktrace',
  'event_loop.blocked.cause',
  'event_loop.blocked.cpu_time',
  'event_loop.blocked.gc_time',
  'event_loop.blocked.run_queue_time',
  'event_loop.blocked.stack_quality',
  'event_loop.blocked.sample_count',
  'event_loop.blocked.profile',
  'event_loop.blocked.lines',
  'event_loop.blocked.async_resource',
  'event_loop.blocked.request',
  'event_loop.blocked.suppressed_count',
  'event_loop.blocked.pending',
  'event_loop.blocked.victims',
  'event_loop.blocked.victim_wait_time',
  'event_loop.blocked.wait_time',
  'thread.id',
  'thread.name',
  'http.route',
  'url.path',
  'http.target',
  '__proto__',
  'constructor',
] as const;

const METRICS = [
  'event_loop.lag',
  'event_loop.utilization',
  'event_loop.threads',
  'event_loop.stalled',
  'other',
] as const;

const number = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.5,
    17,
    2 ** 31,
    2 ** 53,
    9_007_199_254_740_990,
    -(2 ** 53),
    1e300,
    -1e300,
    NaN,
    Infinity,
    -Infinity,
  ),
  fc.integer(),
  fc.double(),
);

const line = fc.constantFrom(
  '    at f (/app/a.js:1:2)',
  '    at async g (file:///app/%zz.js:9007199254740993:1)',
  '    at h (/app/a.js:99999999999999999999)',
  'main;f;<anonymous a.js:9007199254740993> 7',
  'a;b;c 1e400',
  `${'x;'.repeat(600)}y 3`,
  '9007199254740990 5',
  '17 1650',
  '-1 5',
  '\ud800',
  '\u202e\u0000\u001b[2J',
  '<img src=x onerror=alert(1)>',
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n')),
  fc.tuple(line, fc.constantFrom(1, 100, 3_000)).map(([part, count]) => part.repeat(count)),
  fc.constantFrom('javascript', 'gc', 'live', 'event-loop-blocked', '__proto__', 'https://a/b', 'git@a:b'),
);

type Value = string | number;
const value = fc.oneof(number, text);
const attributes = fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 14 });
const timeNs = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 63n, 2n ** 64n - 1n),
  fc.integer({ min: -7_200_000, max: 200_000_000 }).map((ms) => BigInt(Date.now() + ms) * 1_000_000n),
  fc.nat(60_000).map((ms) => BigInt(Date.now() - ms) * 1_000_000n),
);
const traceId = fc.oneof(
  fc.nat(20).map((id) => hex(id + 1, 16)),
  fc.string({ maxLength: 40 }),
);
const spanId = fc.oneof(
  fc.nat(40).map((id) => hex(id + 1, 8)),
  fc.string({ maxLength: 20 }),
);
const span = fc.record({
  traceId,
  spanId,
  parentSpanId: spanId,
  name: fc.oneof(fc.constantFrom('event-loop-blocked', 'event-loop-hang', 'GET /a'), text),
  kind: fc.oneof(fc.nat(6), number),
  startNs: timeNs,
  endNs: timeNs,
  attributes,
  links: fc.array(fc.tuple(traceId, spanId), { maxLength: 5 }),
});
const point = fc.record({
  startNs: timeNs,
  endNs: timeNs,
  value: number,
  max: number,
  scale: fc.integer(),
  offset: fc.integer(),
  bounds: fc.array(number, { maxLength: 12 }),
  counts: fc.array(fc.oneof(fc.nat(100), number), { maxLength: 13 }),
  attributes,
});
const metric = fc.record({
  name: fc.constantFrom(...METRICS),
  kind: fc.constantFrom('gauge', 'sum', 'histogram', 'exponentialHistogram'),
  temporality: fc.nat(3),
  points: fc.array(point, { maxLength: 5 }),
});

type Span = typeof span extends fc.Arbitrary<infer T> ? T : never;
type Point = typeof point extends fc.Arbitrary<infer T> ? T : never;
type Metric = typeof metric extends fc.Arbitrary<infer T> ? T : never;
type Pairs = readonly (readonly [string, Value])[];

const spansRequest = fc
  .tuple(attributes, fc.array(span, { maxLength: 8 }), fc.boolean())
  .map(([resource, spans, isJson]): Attack => ({
    path: '/v1/traces',
    type: isJson ? 'application/json' : 'application/x-protobuf',
    body: isJson
      ? jsonBody({
          resourceSpans: [{ resource: jsonAttributes(resource), scopeSpans: [{ spans: spans.map(jsonSpan) }] }],
        })
      : field(1, field(1, ...pairs(1, resource)), field(2, ...spans.map(protobufSpan))),
  }));
const metricsRequest = fc
  .tuple(attributes, fc.array(metric, { maxLength: 4 }), fc.boolean())
  .map(([resource, metrics, isJson]): Attack => ({
    path: '/v1/metrics',
    type: isJson ? 'application/json' : 'application/x-protobuf',
    body: isJson
      ? jsonBody({
          resourceMetrics: [
            { resource: jsonAttributes(resource), scopeMetrics: [{ metrics: metrics.map(jsonMetric) }] },
          ],
        })
      : field(1, field(1, ...pairs(1, resource)), field(2, ...metrics.map(protobufMetric))),
  }));
const request = fc.oneof(spansRequest, metricsRequest);

/** Requests as they are, and with bytes changed, inserted or cut off. */
export const fuzzedRequest: fc.Arbitrary<Attack> = fc.oneof(
  { weight: 3, arbitrary: request },
  {
    weight: 1,
    arbitrary: fc
      .tuple(request, fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 6 }))
      .map(([{ body, ...rest }, changes]) => ({ ...rest, body: changes.reduce(changed, body) })),
  },
);

function changed(body: Buffer, [place, byte, how]: readonly [number, number, number]): Buffer {
  const at = place % (body.length + 1);
  const after = how === 0 ? at + 1 : at;
  return how === 2
    ? body.subarray(0, at)
    : Buffer.concat([body.subarray(0, at), Buffer.from([byte]), body.subarray(after)]);
}

function hex(id: number, bytes: number): string {
  return id.toString(16).padStart(bytes * 2, '0');
}

/** JSON has no NaN and no infinity: OTLP writes them as texts. */
function jsonNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function jsonBody(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function jsonAttributes(list: Pairs): { attributes: object[] } {
  return {
    attributes: list.map(([key, item]) => ({
      key,
      value: typeof item === 'string' ? { stringValue: item } : { doubleValue: jsonNumber(item) },
    })),
  };
}

function jsonSpan({ startNs, endNs, attributes: list, links, kind, ...rest }: Span): object {
  return {
    ...rest,
    ...jsonAttributes(list),
    kind: jsonNumber(kind),
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(endNs),
    links: links.map(([trace, id]) => ({ traceId: trace, spanId: id })),
  };
}

function jsonMetric({ name, kind, temporality, points }: Metric): object {
  return { name, [kind]: { aggregationTemporality: temporality, dataPoints: points.map(jsonPoint) } };
}

function jsonPoint({
  startNs,
  endNs,
  value: item,
  max,
  scale,
  offset,
  bounds,
  counts,
  attributes: list,
}: Point): object {
  return {
    ...jsonAttributes(list),
    startTimeUnixNano: String(startNs),
    timeUnixNano: String(endNs),
    asDouble: jsonNumber(item),
    max: jsonNumber(max),
    scale,
    positive: { offset, bucketCounts: counts.map(jsonNumber) },
    explicitBounds: bounds.map(jsonNumber),
    bucketCounts: counts.map(jsonNumber),
  };
}

function pairs(number: number, list: Pairs): Buffer[] {
  return list.map(([key, item]) => attribute(number, key, item));
}

function protobufSpan(input: Span): Buffer {
  return field(
    2,
    field(1, Buffer.from(input.traceId, 'hex')),
    field(2, Buffer.from(input.spanId, 'hex')),
    field(4, Buffer.from(input.parentSpanId, 'hex')),
    field(5, input.name),
    integerField(6, Number.isSafeInteger(input.kind) ? input.kind : 7),
    fixed64Field(7, input.startNs),
    fixed64Field(8, input.endNs),
    ...pairs(9, input.attributes),
    ...input.links.map(([trace, id]) =>
      field(13, field(1, Buffer.from(trace, 'hex')), field(2, Buffer.from(id, 'hex'))),
    ),
  );
}

const METRIC_FIELDS = { gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10 } as const;

function protobufMetric({ name, kind, temporality, points }: Metric): Buffer {
  return field(
    2,
    field(1, name),
    field(METRIC_FIELDS[kind], ...points.map((each) => protobufPoint(each, kind)), integerField(2, temporality)),
  );
}

function protobufPoint(input: Point, kind: Metric['kind']): Buffer {
  const times = [fixed64Field(2, input.startNs), fixed64Field(3, input.endNs)];
  const whole = (item: number): bigint => (Number.isSafeInteger(item) ? BigInt(item) : 2n ** 64n - 1n);
  const counts = input.counts.map((count) => fixed64Field(1, whole(count)).subarray(1));
  if (kind === 'histogram') {
    const bounds = input.bounds.map((bound) => doubleField(1, bound).subarray(1));
    return field(
      1,
      ...times,
      field(6, ...counts),
      field(7, ...bounds),
      ...pairs(9, input.attributes),
      doubleField(12, input.max),
    );
  }
  if (kind === 'exponentialHistogram') {
    const positive = field(8, integerField(1, input.offset), field(2, ...counts));
    return field(1, ...pairs(1, input.attributes), ...times, integerField(6, input.scale), positive);
  }
  return field(1, ...times, doubleField(4, input.value), ...pairs(7, input.attributes));
}
