import { gzipSync } from 'node:zlib';

import { attribute, doubleField, field, fixed64Field } from './protobuf.js';

/** A request that costs its sender little and a receiver much. */
export interface Attack {
  readonly path: '/v1/traces' | '/v1/metrics';
  readonly type: 'application/x-protobuf' | 'application/json';
  readonly body: Buffer;
  readonly encoding?: 'gzip';
}

const LIMIT_BYTES = 20 * 1024 * 1024;

const traces = (...resourceSpans: readonly Buffer[]): Attack => ({
  path: '/v1/traces',
  type: 'application/x-protobuf',
  body: Buffer.concat(resourceSpans),
});
const metrics = (...resourceMetrics: readonly Buffer[]): Attack => ({
  path: '/v1/metrics',
  type: 'application/x-protobuf',
  body: Buffer.concat(resourceMetrics),
});
const json = (body: string): Attack => ({ path: '/v1/traces', type: 'application/json', body: Buffer.from(body) });

const resource = (service: string): Buffer => field(1, attribute(1, 'service.name', service));
const nowNs = (): bigint => BigInt(Date.now()) * 1_000_000n;
const id = (value: number, bytes: number): Buffer => Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');

interface SpanParts {
  readonly trace?: number;
  readonly parent?: number;
  readonly name?: string;
  readonly more?: readonly Buffer[];
}

/** A span of 300 ms that has just ended, as field 2 of its scope. */
function span(number: number, { trace = number, parent, name = 'work', more = [] }: SpanParts = {}): Buffer {
  const endNs = nowNs();
  return field(
    2,
    field(1, id(trace, 16)),
    field(2, id(number, 8)),
    ...(parent === undefined ? [] : [field(4, id(parent, 8))]),
    field(5, name),
    fixed64Field(7, endNs - 300_000_000n),
    fixed64Field(8, endNs),
    ...more,
  );
}

const link = (spanNumber: number): Buffer => field(13, field(1, id(1, 16)), field(2, id(spanNumber, 8)));
const block = (number: number, attributes: Readonly<Record<string, string | number>>, trace = number): Buffer =>
  span(number, {
    trace,
    name: 'event-loop-blocked',
    more: Object.entries(attributes).map(([key, value]) => attribute(9, key, value)),
  });
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const many = (count: number, make: (number: number) => Buffer): Buffer => Buffer.concat(range(count).map(make));

/** The part again and again, with another number in each where it has `#######`. */
function numbered(count: number, part: Buffer): Buffer {
  const place = part.indexOf('#######');
  const bytes = Buffer.alloc(count * part.length, part);
  for (let index = 0; index < count; index += 1) {
    bytes.write(String(index).padStart(7, '0'), index * part.length + place, 'latin1');
  }
  return bytes;
}

const ofService = (service: string, ...spans: readonly Buffer[]): Attack =>
  traces(field(1, resource(service), field(2, ...spans)));

function histogram(threadName: string, counts: number): Buffer {
  const endNs = nowNs();
  const ones = Buffer.alloc(counts * 8, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]));
  const bounds = Buffer.alloc((counts - 1) * 8);
  for (let bound = 0; bound < counts - 1; bound += 1) bounds.writeDoubleLE((bound + 1) / 1_000, bound * 8);
  return field(
    1,
    fixed64Field(2, endNs - 1_000_000_000n),
    fixed64Field(3, endNs),
    field(6, ones),
    field(7, bounds),
    attribute(9, 'thread.name', threadName),
  );
}

const lag = (...points: readonly Buffer[]): Buffer =>
  field(2, field(1, 'event_loop.lag'), field(9, ...points, Buffer.from([0x10, 0x01])));
const gauge = (...points: readonly Buffer[]): Buffer =>
  field(2, field(1, 'event_loop.utilization'), field(5, ...points));
const ofThreads = (service: string, metric: Buffer): Attack => metrics(field(1, resource(service), field(2, metric)));

/** A full body that an honest collector could send: what the attacks are compared with. */
export function honestBatch(bytes = LIMIT_BYTES - 200_000): Attack {
  const more = [attribute(9, 'text', 'x'.repeat(300)), attribute(9, 'http.route', '/items/:id')];
  const count = Math.floor(bytes / (span(1, { more }).length + 10));
  return ofService(
    'honest',
    many(count, (number) => span(number, { more })),
  );
}

export function honestBlock(number: number): Attack {
  return ofService(
    'honest',
    block(number, {
      'code.function.name': 'createSpans',
      'code.file.path': '/app/a.js',
      'code.line.number': 4,
      'event_loop.blocked.profile': 'main;createSpans 300',
      'code.stacktrace': '    at createSpans (/app/a.js:4:10)',
    }),
  );
}

/** Stacks of which every frame is another one. */
function wideProfile(bytes: number, seed: number): string {
  let text = '';
  for (let line = 0; text.length < bytes; line += 1) text += `${seed}_${line};${'a;b;c;d;e;f;g;h;'.repeat(30)}z 1\n`;
  return text;
}

const LINKS = range(16).map((set) => many(128, (each) => link(set * 128 + each)));

export const ATTACKS: Readonly<Record<string, () => Attack>> = {
  'thirty thousand services in one request': () =>
    traces(
      numbered(
        30_000,
        field(1, resource('s#######'), field(2, span(1, { more: [attribute(9, 'text', 'x'.repeat(450))] }))),
      ),
    ),
  'twenty thousand services of metrics': () =>
    metrics(numbered(20_000, field(1, resource('m#######'), field(2, lag(histogram('main', 16)))))),
  'fifty thousand victims of one block': () =>
    ofService(
      'victims',
      many(50_000, (number) => span(number, { more: [attribute(9, 'event_loop.blocked.wait_time', 0.5), link(7)] })),
    ),
  'three hundred thousand names of threads': () => ofThreads('names', lag(numbered(110_000, histogram('t#######', 8)))),
  'three hundred thousand names of threads, as gauges': () =>
    ofThreads(
      'names',
      gauge(numbered(300_000, field(1, doubleField(4, 0.5), attribute(7, 'thread.name', 't#######')))),
    ),
  'blocks with stacks of a megabyte': () =>
    ofService(
      'stacks',
      many(9, (number) =>
        block(number + Math.floor(Math.random() * 1e9), {
          'code.stacktrace': '    at slow (/app/slow.js:1:1)\n'.repeat(33_000),
          'event_loop.blocked.profile': wideProfile(1_000_000, number),
          'code.function.name': 'f'.repeat(200_000),
        }),
      ),
    ),
  'blocks with as many frames as are kept': () =>
    ofService(
      'frames',
      many(1_100, (number) =>
        block(number + Math.floor(Math.random() * 1e9), { 'event_loop.blocked.profile': wideProfile(16_000, number) }),
      ),
    ),
  'a profile of nineteen megabytes': () =>
    ofService('profile', block(1, { 'event_loop.blocked.profile': 'x'.repeat(19_000_000) })),
  'line numbers that no source has': () =>
    ofService(
      'lines',
      ...[2 ** 53, -1, 2 ** 31, 9_007_199_254_740_990, 1e300, NaN, Infinity].map((line, index) =>
        block(0x1000 + index, {
          'code.function.name': 'f',
          'code.file.path': '/app/a.js',
          'code.line.number': line,
          'code.column.number': line,
          'code.stacktrace': `    at f (/app/a.js:${BigInt(2) ** 53n + 1n}:1)\n    at g (/app/a.js:9007199254740993:3)`,
          'event_loop.blocked.lines': '9007199254740990 5\n1 1e400\n99999999999999999999 7',
          'event_loop.blocked.sample_count': line,
          'event_loop.blocked.suppressed_count': line,
          'event_loop.blocked.cpu_time': line,
          'thread.id': line,
        }),
      ),
    ),
  'ten thousand blocks in one trace': () =>
    ofService(
      'one trace',
      many(10_000, (number) => block(number, {}, 7)),
      many(20_000, (number) => span(number, { trace: 7 })),
    ),
  'spans with links to everything': () =>
    ofService(
      'links',
      many(4_500, (number) =>
        span(number, {
          more: [attribute(9, 'event_loop.blocked.wait_time', 1), LINKS[number % LINKS.length]!],
        }),
      ),
    ),
  'ten million empty spans': () => ofService('empty', Buffer.alloc(LIMIT_BYTES - 100, Buffer.from([0x12, 0x00]))),
  'ten million empty links': () =>
    ofService('empty', field(2, Buffer.alloc(LIMIT_BYTES - 200, Buffer.from([0x6a, 0x00])))),
  'a million attributes': () =>
    ofService('attributes', span(1, { more: [numbered(900_000, attribute(9, 'k#######', 1))] })),
  'histograms of a million buckets': () => ofThreads('buckets', lag(histogram('main', 1_200_000))),
  'seven million empty objects of JSON': () =>
    json(`{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(6_900_000)}{}]}]}]}`),
  'two million keys of JSON': () =>
    json(
      `{"resourceSpans":[{${range(1_300_000)
        .map((number) => `"k${number}":1`)
        .join()}}]}`,
    ),
  'lists in lists of JSON': () => json(`{"resourceSpans":${'['.repeat(9_000_000)}`),
};

/** A body of nearly 20 MB in some kilobytes. */
export function bomb(): Attack {
  const attack = ofService('bomb', block(1, { 'event_loop.blocked.profile': 'x'.repeat(19_000_000) }));
  return { ...attack, body: gzipSync(attack.body), encoding: 'gzip' };
}
