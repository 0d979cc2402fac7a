import { describe, expect, test } from '@jest/globals';

import type { TraceSpan } from '../../src/model/types.js';
import { waterfallRows } from '../../src/page/model/waterfall-rows.js';

describe('waterfallRows', () => {
  const span = (spanId: string, parentSpanId: string | undefined, startMs: number): TraceSpan => ({
    traceId: 't',
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: spanId,
    instance: 'i1',
    scope: '',
    kind: 1,
    startMs,
    endMs: startMs + 1,
    error: false,
    attributes: {},
    links: [],
  });

  test('places children below their parent by start', () => {
    const rows = waterfallRows([span('c', 'a', 3), span('b', 'a', 2), span('a', undefined, 1), span('d', 'b', 4)]);
    expect(rows.map(({ span: { name }, depth }) => `${depth}${name}`)).toEqual(['0a', '1b', '2d', '1c']);
  });

  test('shows a span whose parent is missing, and ends for a cycle of parents', () => {
    const rows = waterfallRows([span('orphan', 'missing', 1), span('x', 'y', 1), span('y', 'x', 1)]);
    expect(rows.map(({ span: { name } }) => name)).toEqual(['orphan']);
  });
});
