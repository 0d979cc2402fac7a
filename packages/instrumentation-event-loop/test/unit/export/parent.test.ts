import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace, TraceFlags, type Context } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import { describe, expect, test } from '@jest/globals';
import { blockingContext, parentageOf } from '../../../src/export/parent.js';
import { ranIn } from '../support/builders.js';
import { contextOf, HOSTILE_CONTEXTS, spanContext } from '../support/tracing.js';

const KEY = Symbol('tenant');

type Part = readonly [context: unknown, ms: number];

function ran(context: unknown, ms = 100): Part {
  return [context, ms];
}

function parentageIn(...parts: Part[]) {
  return parentageOf(ranIn(parts));
}

function parentIn(context: Context): unknown {
  return trace.getSpanContext(context)?.spanId;
}

describe('the parent', () => {
  test('is the span that was active', () => {
    const parentage = parentageIn(ran(contextOf(spanContext(1))));
    expect(trace.getSpanContext(parentage.context)).toEqual(spanContext(1));
    expect(parentage).toMatchObject({ isRoot: false, links: [] });
  });

  test('is undefined without samples', () => {
    const parentage = parentageIn();
    expect(parentage).toMatchObject({ isRoot: false, links: [] });
    expect(trace.getSpan(parentage.context)).toBeUndefined();
  });

  test.each([
    ['no context', undefined],
    ['the root context', ROOT_CONTEXT],
    ['an invalid span', contextOf(INVALID_SPAN_CONTEXT)],
  ])('is undefined for %s', (_, context) => {
    const parentage = parentageIn(ran(context));
    expect(parentage.isRoot).toBe(false);
    expect(parentage.links).toEqual([]);
    expect(trace.isSpanContextValid(trace.getSpanContext(parentage.context) ?? INVALID_SPAN_CONTEXT)).toBe(false);
  });

  test('is the span that was active for longest', () => {
    const [a, b] = [1, 2].map((id) => contextOf(spanContext(id)));
    expect(parentIn(parentageIn(ran(a, 40), ran(b, 60)).context)).toBe(spanContext(2).spanId);
  });

  test('is undefined where most was spent in no span, and the spans become links', () => {
    const parentage = parentageIn(ran(undefined, 90), ran(contextOf(spanContext(2)), 10));
    expect(parentIn(parentage.context)).toBeUndefined();
    expect(parentage.links).toEqual([{ context: spanContext(2) }]);
  });

  test('is the span with most of the time, added up over its contexts', () => {
    const first = contextOf(spanContext(1));
    const samples = [ran(first, 30), ran(first.setValue(KEY, 'x'), 30), ran(contextOf(spanContext(2)), 40)];
    const parentage = parentageIn(...samples);
    expect(parentIn(parentage.context)).toBe(spanContext(1).spanId);
    expect(parentage.links).toEqual([{ context: spanContext(2) }]);
  });

  test('keeps the other values of the context, for example baggage', () => {
    const context = contextOf(spanContext(1)).setValue(KEY, 'acme');
    expect(parentageIn(ran(context)).context.getValue(KEY)).toBe('acme');
  });

  test('is found in a context in which the SDK suppresses tracing', () => {
    const parentage = parentageIn(ran(suppressTracing(contextOf(spanContext(1)))));
    expect(isTracingSuppressed(parentage.context)).toBe(false);
    expect(parentIn(parentage.context)).toBe(spanContext(1).spanId);
  });
});

describe('a parent that is not sampled', () => {
  const unsampled = spanContext(1, { traceFlags: TraceFlags.NONE });

  test('makes the block a root span with a link to that parent', () => {
    expect(parentageIn(ran(contextOf(unsampled)))).toMatchObject({ isRoot: true, links: [{ context: unsampled }] });
  });

  test('makes the block a root span also when it is remote', () => {
    const remote = { ...unsampled, isRemote: true };
    expect(parentageIn(ran(contextOf(remote)))).toMatchObject({ isRoot: true, links: [{ context: remote }] });
  });

  test('is recognized by the sampled flag alone, whatever other flags are set', () => {
    const random = 2;
    expect(parentageIn(ran(contextOf(spanContext(1, { traceFlags: random })))).isRoot).toBe(true);
    expect(parentageIn(ran(contextOf(spanContext(1, { traceFlags: TraceFlags.SAMPLED | random })))).isRoot).toBe(false);
  });
});

describe('links', () => {
  test('are the other sampled spans, the longest first, without the parent', () => {
    const shares = [
      ran(contextOf(spanContext(1)), 50),
      ran(contextOf(spanContext(2)), 10),
      ran(contextOf(spanContext(3)), 30),
      ran(undefined, 5),
    ];
    expect(parentageIn(...shares).links).toEqual([{ context: spanContext(3) }, { context: spanContext(2) }]);
  });

  test('are bounded', () => {
    const shares = Array.from({ length: 100 }, (_, i) => ran(contextOf(spanContext(i + 1)), 100 - i));
    const { links } = parentageIn(...shares);
    expect(links).toHaveLength(32);
    expect(links[0]?.context).toEqual(spanContext(2));
  });
});

describe('the context that a hook sees', () => {
  test('is the one in which most of the block was spent, unchanged', () => {
    const context = suppressTracing(contextOf(spanContext(1)));
    expect(blockingContext(ranIn([ran(context)]))).toBe(context);
  });

  test('is the root context where none is known', () => {
    expect(blockingContext(ranIn([]))).toBe(ROOT_CONTEXT);
    expect(blockingContext(ranIn([ran(undefined)]))).toBe(ROOT_CONTEXT);
  });
});

test.each(HOSTILE_CONTEXTS)(
  'a hostile context counts as the root context, and other contexts keep their links: %s',
  (_, context) => {
    const parentage = parentageIn(ran(context, 60), ran(contextOf(spanContext(2)), 40));
    expect(parentage).toMatchObject({ isRoot: false, links: [{ context: spanContext(2) }] });
    expect(() => trace.getSpan(parentage.context)).not.toThrow();
  },
);
