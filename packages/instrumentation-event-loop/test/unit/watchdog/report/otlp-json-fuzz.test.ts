import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PlainAttributes } from '../../../../src/contract/hang-report.js';
import { hangRequest } from '../../../../src/watchdog/report/otlp-json.js';

interface Request {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: KeyValue[] };
    readonly scopeSpans: { readonly spans: { readonly attributes: KeyValue[] }[] }[];
  }[];
}

interface KeyValue {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

/** Whether the value is one of the JSON encoding of OTLP, in the form of protobuf's JSON. */
function isOtlp(value: Record<string, unknown>): boolean {
  const [entry, ...others] = Object.entries(value);
  if (others.length > 0) return false;
  if (entry === undefined) return true;
  const [kind, content] = entry;
  switch (kind) {
    case 'stringValue':
      return typeof content === 'string';
    case 'boolValue':
      return typeof content === 'boolean';
    case 'intValue':
      return typeof content === 'string' && BigInt.asIntN(64, BigInt(content)) === BigInt(content);
    case 'doubleValue':
      return typeof content === 'number' || ['NaN', 'Infinity', '-Infinity'].includes(String(content));
    case 'arrayValue':
      return (content as { values: Record<string, unknown>[] }).values.every(isOtlp);
    default:
      return false;
  }
}

test('any attribute has a value that OTLP has', () => {
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  const attributes = fc.dictionary(fc.string({ unit: 'binary' }), fc.oneof(value, fc.double(), fc.array(value)));
  const ids = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) };
  fc.assert(
    fc.property(attributes, fc.double({ min: 0, max: 1e14, noNaN: true }), (any, endEpochMs) => {
      const plain = any as PlainAttributes;
      const times = { startEpochMs: endEpochMs - 5000, endEpochMs };
      const request = JSON.parse(
        hangRequest(plain, { ids, parentSpanId: undefined, links: [], attributes: plain, ...times }),
      ) as Request;
      const [{ resource, scopeSpans }] = request.resourceSpans as [Request['resourceSpans'][number]];
      const attributeLists = [resource.attributes, scopeSpans[0]!.spans[0]!.attributes];
      for (const list of attributeLists) {
        expect(list.map(({ key }) => key)).toEqual(Object.keys(any));
        expect(list.filter((each) => !isOtlp(each.value))).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});
