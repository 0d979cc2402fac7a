import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace, TraceFlags, type Context } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import { describe, expect, test } from '@jest/globals';
import type { ContextShare } from '../../../src/contract/model.js';
import { culpritContext, parentageOf } from '../../../src/export/parent.js';
import { contextOf, HOSTILE_CONTEXTS, spanContext } from '../support/tracing.js';

const KEY = Symbol('tenant');

function share(context: unknown, weightMs = 100, isCulprits = true): ContextShare {
  return { context, weightMs, isCulprits };
}

function parentIn(context: Context): unknown {
  return trace.getSpanContext(context)?.spanId;
}

describe('the parent', () => {
  test('is the span that was active in the culprit', () => {
    const parentage = parentageOf([share(contextOf(spanContext(1)))]);
    expect(trace.getSpanContext(parentage.context)).toEqual(spanContext(1));
    expect(parentage).toMatchObject({ isRoot: false, links: [] });
  });

  test('is undefined without samples', () => {
    const parentage = parentageOf([]);
    expect(parentage).toMatchObject({ isRoot: false, links: [] });
    expect(trace.getSpan(parentage.context)).toBeUndefined();
  });

  test.each([
    ['no context', undefined],
    ['the root context', ROOT_CONTEXT],
    ['an invalid span', contextOf(INVALID_SPAN_CONTEXT)],
  ])('is undefined for %s', (_, context) => {
    const parentage = parentageOf([share(context)]);
    expect(parentage.isRoot).toBe(false);
    expect(parentage.links).toEqual([]);
    expect(trace.isSpanContextValid(trace.getSpanContext(parentage.context) ?? INVALID_SPAN_CONTEXT)).toBe(false);
  });

  test('is the span in which the culprit ran for longest', () => {
    const [a, b] = [1, 2].map((id) => contextOf(spanContext(id)));
    expect(parentIn(parentageOf([share(a, 40), share(b, 60)]).context)).toBe(spanContext(2).spanId);
  });

  test('is not a span in which other functions ran, however long', () => {
    const [a, b] = [1, 2].map((id) => contextOf(spanContext(id)));
    expect(parentIn(parentageOf([share(a, 400, false), share(b, 60)]).context)).toBe(spanContext(2).spanId);
  });

  test('is undefined where the culprit ran in no span, and the spans of others become links', () => {
    const parentage = parentageOf([share(undefined, 90), share(contextOf(spanContext(2)), 10, false)]);
    expect(parentIn(parentage.context)).toBeUndefined();
    expect(parentage.links).toEqual([{ context: spanContext(2) }]);
  });

  test('is the span with most of the time, added up over its contexts', () => {
    const first = contextOf(spanContext(1));
    const samples = [share(first, 30), share(first.setValue(KEY, 'x'), 30), share(contextOf(spanContext(2)), 40)];
    const parentage = parentageOf(samples);
    expect(parentIn(parentage.context)).toBe(spanContext(1).spanId);
    expect(parentage.links).toEqual([{ context: spanContext(2) }]);
  });

  test('keeps the other values of the context, for example baggage', () => {
    const context = contextOf(spanContext(1)).setValue(KEY, 'acme');
    expect(parentageOf([share(context)]).context.getValue(KEY)).toBe('acme');
  });

  test('is found in a context in which the SDK suppresses tracing', () => {
    const parentage = parentageOf([share(suppressTracing(contextOf(spanContext(1))))]);
    expect(isTracingSuppressed(parentage.context)).toBe(false);
    expect(parentIn(parentage.context)).toBe(spanContext(1).spanId);
  });
});

describe('a parent that is not sampled', () => {
  const unsampled = spanContext(1, { traceFlags: TraceFlags.NONE });

  test('makes the block a root span with a link to that parent', () => {
    expect(parentageOf([share(contextOf(unsampled))])).toMatchObject({ isRoot: true, links: [{ context: unsampled }] });
  });

  test('makes the block a root span also when it is remote', () => {
    const remote = { ...unsampled, isRemote: true };
    expect(parentageOf([share(contextOf(remote))])).toMatchObject({ isRoot: true, links: [{ context: remote }] });
  });

  test('is recognized by the sampled flag alone, whatever other flags are set', () => {
    const random = 2;
    expect(parentageOf([share(contextOf(spanContext(1, { traceFlags: random })))]).isRoot).toBe(true);
    expect(parentageOf([share(contextOf(spanContext(1, { traceFlags: TraceFlags.SAMPLED | random })))]).isRoot).toBe(
      false,
    );
  });
});

describe('links', () => {
  test('are the other sampled spans, the longest first, without the parent', () => {
    const shares = [
      share(contextOf(spanContext(1)), 50),
      share(contextOf(spanContext(2)), 10, false),
      share(contextOf(spanContext(3)), 30),
      share(undefined, 5, false),
    ];
    expect(parentageOf(shares).links).toEqual([{ context: spanContext(3) }, { context: spanContext(2) }]);
  });

  test('are bounded', () => {
    const shares = Array.from({ length: 100 }, (_, i) => share(contextOf(spanContext(i + 1)), 100 - i));
    const { links } = parentageOf(shares);
    expect(links).toHaveLength(32);
    expect(links[0]?.context).toEqual(spanContext(2));
  });
});

describe('the context that a hook sees', () => {
  test('is that of the culprit, unchanged', () => {
    const context = suppressTracing(contextOf(spanContext(1)));
    expect(culpritContext([share(context)])).toBe(context);
  });

  test('is the root context where none is known', () => {
    expect(culpritContext([])).toBe(ROOT_CONTEXT);
    expect(culpritContext([share(undefined)])).toBe(ROOT_CONTEXT);
  });
});

test.each(HOSTILE_CONTEXTS)(
  'a hostile context counts as the root context, and other contexts keep their links: %s',
  (_, context) => {
    const parentage = parentageOf([share(context, 60), share(contextOf(spanContext(2)), 40, false)]);
    expect(parentage).toMatchObject({ isRoot: false, links: [{ context: spanContext(2) }] });
    expect(() => trace.getSpan(parentage.context)).not.toThrow();
  },
);
