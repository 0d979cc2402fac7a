import { SpanKind } from '@opentelemetry/api';
import { expect, test } from '@jest/globals';

import { frequentNames, openRequestNames } from '../../../src/export/open-requests.ts';
import type { TrackedSpan } from '../../../src/export/tracked-span.ts';

function open(name: string, kind: SpanKind, startedAt: number, attributes = {}): TrackedSpan {
  return { span: { name, kind, attributes }, startedAt } as unknown as TrackedSpan;
}

test('open requests are named with route or path, and without the query', () => {
  const spans = [
    open('POST', SpanKind.SERVER, 99_000, { 'url.path': '/login' }),
    open('GET', SpanKind.SERVER, 99_000, { 'http.target': '/file?name=x' }),
    open('process mail', SpanKind.CONSUMER, 99_000),
  ];
  expect(openRequestNames([spans], 100_000)).toEqual(['POST /login', 'GET /file', 'process mail']);
});

test('a span that is no request, or has been open for long, does not wait for the pool', () => {
  const spans = [
    open('nightly', SpanKind.INTERNAL, 99_000),
    open('GET /events', SpanKind.SERVER, 80_000),
    open('GET /a', SpanKind.SERVER, 99_000),
  ];
  expect(openRequestNames([spans, []], 100_000)).toEqual(['GET /a']);
});

test('the number of spans that are read is bounded', () => {
  const spans = Array.from({ length: 10_000 }, () => open('GET /a', SpanKind.SERVER, 99_000));
  expect(openRequestNames([spans, spans], 100_000).length).toBeLessThanOrEqual(2000);
});

test.each([
  ['one name', ['a', 'a', 'a'], ['a×3']],
  ['a name with half of them, the oldest first', ['b', 'a', 'c', 'a'], ['b×1', 'a×2', 'c×1']],
  ['more than three names', ['b', 'a', 'c', 'a', 'd', 'a', 'a', 'a'], ['b×1', 'a×5', 'c×1']],
  ['many different names, which say nothing', ['b', 'a', 'c', 'a', 'd'], []],
  ['none', [], []],
])('of %s, the frequent ones are shown', (_what, names, shown) => {
  expect(frequentNames(names)).toEqual(shown);
});
