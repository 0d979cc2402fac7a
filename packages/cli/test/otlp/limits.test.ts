import { describe, expect, test } from '@jest/globals';

import { MalformedBodyError, OversizedBodyError, type SpanGroup } from '../../src/cli/otlp/decoded.js';
import { decodeMetricsJson, decodeTracesJson, spanGroupsOf } from '../../src/cli/otlp/json.js';
import { inPieces, piecesOfSpans } from '../../src/cli/otlp/pieces.js';
import { decodeMetrics, decodeTraces } from '../../src/cli/otlp/protobuf.js';
import { attribute, field } from '../support/protobuf.js';

const spansOf = (...spans: readonly Buffer[]): Buffer => field(1, field(2, ...spans));

describe('a body of many entries is refused', () => {
  test.each([
    ['empty spans', () => decodeTraces(spansOf(Buffer.alloc(1_000_000, Buffer.from([0x12, 0x00]))))],
    ['empty links', () => decodeTraces(spansOf(field(2, Buffer.alloc(6_000_000, Buffer.from([0x6a, 0x00])))))],
    ['empty groups', () => decodeTraces(field(1, Buffer.alloc(6_000_000, Buffer.from([0x12, 0x00]))))],
    ['empty metrics', () => decodeMetrics(spansOf(Buffer.alloc(1_000_000, Buffer.from([0x12, 0x00]))))],
    ['empty objects', () => decodeTracesJson(`{"resourceSpans":[${'{},'.repeat(1_000_000)}{}]}`)],
    ['numbers', () => decodeTracesJson(`[${'1,'.repeat(2_000_000)}1]`)],
  ])('%s', (_what, decode) => {
    expect(decode).toThrow(OversizedBodyError);
  });

  test('but not one of as many spans as fit into it', () => {
    const span = field(
      2,
      field(5, 'GET /items'),
      ...Array.from({ length: 8 }, () => attribute(9, 'key', 'x'.repeat(40))),
    );
    const count = Math.floor(20_000_000 / span.length);
    const [group] = decodeTraces(spansOf(Buffer.alloc(count * span.length, span)));
    expect(group?.spans).toHaveLength(count);
  });
});

test('values that are nested too deeply are refused, also in what a watched process has written', () => {
  let value: object = { stringValue: 'deep' };
  for (let depth = 0; depth < 20_000; depth += 1) value = { arrayValue: { values: [value] } };
  const attributes = [{ key: 'deep', value }];
  expect(() => spanGroupsOf({ resourceSpans: [{ resource: { attributes } }] })).toThrow(MalformedBodyError);
  expect(() => decodeTracesJson('['.repeat(1_000_000))).toThrow(MalformedBodyError);
});

test('an object of a thousand fields is no OTLP, wherever it is; a list of objects is as long as it likes', () => {
  const fields = Array.from({ length: 1001 }, (_, index) => `"${index}":{},`).join('');
  for (const body of [`{${fields}"z":1}`, `{"resourceSpans":[{"a":[1,2],${fields}"z":{}}]}`])
    expect(() => decodeTracesJson(body)).toThrow(MalformedBodyError);
  expect(decodeTracesJson(`{"resourceSpans":[${'{"a":[0,0],"b":1},'.repeat(5000)}{}]}`)).toHaveLength(0);
});

test('brackets and quotes within texts are no structure', () => {
  const text = '[{'.repeat(500_000) + '\\"'.repeat(1_000) + '\\\\';
  const body = `{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":"${text}"}}]},"scopeSpans":[{}]}]}`;
  expect(decodeTracesJson(body)).toMatchObject([{ resource: { a: JSON.parse(`"${text}"`) } }]);
});

test('of a long text only the start is decoded, and of a histogram as many buckets as show that there are too many', () => {
  const [group] = decodeTraces(spansOf(field(2, attribute(9, 'event_loop.blocked.profile', 'x'.repeat(5_000_000)))));
  expect(group?.spans[0]?.attributes['event_loop.blocked.profile']).toHaveLength(65_536);
  const point = field(1, field(6, Buffer.alloc(8_000_000)), field(7, Buffer.alloc(8_000_000)));
  const [metric] = decodeMetrics(spansOf(field(2, field(1, 'event_loop.lag'), field(9, point))));
  expect(metric?.points[0]?.counts).toHaveLength(513);
  const counts = new Array<number>(2_000).fill(1);
  const json = {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ histogram: { dataPoints: [{ bucketCounts: counts }] } }] }] }],
  };
  expect(decodeMetricsJson(JSON.stringify(json))[0]?.points[0]?.counts).toHaveLength(513);
});

describe('a request is stored in pieces', () => {
  const group = (service: number, spans: number): SpanGroup => ({
    resource: { 'service.name': `s${service}` },
    scope: '',
    spans: Array.from({ length: spans }, (_, index) => ({
      spanId: `${service}/${index}`,
    })) as unknown as SpanGroup['spans'],
  });

  test('of all its entries, in order, however they are grouped', () => {
    const groups = [group(0, 1_000), ...Array.from({ length: 600 }, (_, index) => group(index + 1, index % 3))];
    const pieces = [...piecesOfSpans(groups)];
    const idsOf = (list: readonly SpanGroup[]): string[] =>
      list.flatMap(({ spans }) => spans.map(({ spanId }) => spanId));
    expect(idsOf(pieces.flat())).toEqual(idsOf(groups));
    expect(new Set(pieces.flat().map(({ resource }) => resource['service.name'])).size).toBe(601);
    expect(pieces.every((piece) => piece.length + idsOf(piece).length < 1_000)).toBe(true);
  });

  test('between which other work has its turn', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    await inPieces(['first', 'second'], (piece) => void order.push(piece));
    expect(order).toEqual(['first', 'other', 'second']);
  });
});
