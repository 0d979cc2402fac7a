import {
  diag,
  DiagLogLevel,
  INVALID_SPAN_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  ROOT_CONTEXT,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Block, SpanEnding } from '../../../src/contract/model.js';
import { BlockReporter, type BlockReporterOptions } from '../../../src/export/block-reporter.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { SPAN_EVENT_LOOP_BLOCKED } from '../../../src/semconv.js';
import type { BlockInfo } from '../../../src/types.js';
import { attribution, block, frame, ranIn } from '../support/builders.js';
import { contextOf, heldSpans, Recorder, spanContext } from '../support/tracing.js';

let recorder: Recorder;
let open: OpenSpans;

beforeEach(() => {
  recorder = new Recorder();
  open = new OpenSpans();
});

afterEach(() => {
  diag.disable();
});

function reporter(options: Partial<BlockReporterOptions> = {}): BlockReporter {
  return new BlockReporter({ spansPerMinute: 60, captureStacks: true, blockHook: undefined, ...options }, heldSpans());
}

/** A block of the last 200 ms: the SDK converts such a time to wall-clock time. */
function recent(overrides: Partial<Block> = {}): Block {
  const end = performance.now();
  return block({ start: end - 200, end, ...overrides });
}

function report(of: Block, by = reporter()): void {
  by.report(of, recorder.tracer, [open]);
}

function blockedSpans() {
  return recorder.spans(SPAN_EVENT_LOOP_BLOCKED);
}

describe('the span of a block', () => {
  test('is internal, without a status, and lasts as long as the block', () => {
    report(recent());
    const [span] = blockedSpans();
    expect(span).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: 0 } });
    expect(span!.duration[0] + span!.duration[1] / 1e9).toBeCloseTo(0.2, 3);
  });

  test('ends when the block ended, not when it is reported', () => {
    const end = performance.now() - 5000;
    const wallNow = Date.now();
    report(block({ start: end - 200, end }));
    const [seconds, nanos] = blockedSpans()[0]!.endTime;
    const agoMs = wallNow - (seconds * 1000 + nanos / 1e6);
    expect(agoMs).toBeGreaterThan(4500);
    expect(agoMs).toBeLessThan(5500);
  });

  test('has the attributes of the block', () => {
    report(recent());
    expect(blockedSpans()[0]?.attributes).toMatchObject({
      'code.function.name': 'createSpans',
      'event_loop.blocked.cause': 'javascript',
      'event_loop.blocked.cpu_time': 0.19,
      'event_loop.blocked.suppressed_count': 0,
      'thread.name': 'main',
    });
    expect(blockedSpans()[0]?.attributes).not.toHaveProperty('event_loop.blocked.pending');
  });

  test('is the child of the span that blocked, and links to the others', () => {
    const contexts = ranIn([
      [contextOf(spanContext(2)), 50],
      [contextOf(spanContext(1)), 150],
    ]);
    report(recent({ attribution: attribution(contexts) }));
    const [span] = blockedSpans();
    expect(span?.spanContext().traceId).toBe(spanContext(1).traceId);
    expect(span?.parentSpanContext?.spanId).toBe(spanContext(1).spanId);
    expect(span?.links.map(({ context }) => context.spanId)).toEqual([spanContext(2).spanId]);
  });

  test('under a parent that is not sampled is a root with a link to it, and is exported', () => {
    const unsampled = spanContext(1, { traceFlags: TraceFlags.NONE });
    report(recent({ attribution: attribution(ranIn([[contextOf(unsampled), 200]])) }));
    const [span] = blockedSpans();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(unsampled.traceId);
    expect(span?.links.map(({ context }) => context.spanId)).toEqual([unsampled.spanId]);
  });

  test('under an invalid span is a root', () => {
    report(recent({ attribution: attribution(ranIn([[contextOf(INVALID_SPAN_CONTEXT), 200]])) }));
    expect(blockedSpans()[0]?.parentSpanContext).toBeUndefined();
  });

  test('links to the hang that reported it while it lasted', () => {
    const hang = { traceId: spanContext(8).traceId, spanId: spanContext(8).spanId };
    report(recent({ hang }));
    expect(blockedSpans()[0]?.links.map(({ context }) => context)).toMatchObject([hang]);
  });
});

describe('the budget', () => {
  test('suppresses the spans beyond it, and counts them on the next span', () => {
    const by = reporter({ spansPerMinute: 1 });
    for (let i = 0; i < 5; i++) report(block({ start: 1000 * i, end: 1000 * i + 200 }), by);
    report(block({ start: 90_000, end: 90_200 }), by);
    expect(blockedSpans().map(({ attributes }) => attributes['event_loop.blocked.suppressed_count'])).toEqual([0, 4]);
  });

  test('is kept for each culprit, identified by name, file and position', () => {
    const by = reporter({ spansPerMinute: 0 });
    const culprits = [
      frame('work'),
      frame('work', { fileName: '/srv/app/other.js' }),
      frame('work', { functionLineNumber: 77 }),
      frame('work', { lineNumber: 999 }), // the first culprit, at another line
      undefined,
      undefined,
    ];
    culprits.forEach((culprit, i) => {
      report(block({ start: 1000 * i, end: 1000 * i + 200, attribution: attribution({ culprit }) }), by);
    });
    expect(blockedSpans()).toHaveLength(4);
  });

  test('also suppresses the hook of a suppressed span', () => {
    const blockHook = jest.fn();
    const by = reporter({ spansPerMinute: 0, blockHook });
    report(block({ start: 0, end: 200 }), by);
    report(block({ start: 1000, end: 1200 }), by);
    expect(blockHook).toHaveBeenCalledTimes(1);
  });
});

describe('the hook', () => {
  test('gets the span with its attributes, and may add to it', () => {
    let seen: BlockInfo | undefined;
    const by = reporter({
      blockHook: (span, info) => {
        seen = info;
        span.setAttribute('tenant', 'acme');
      },
    });
    report(recent(), by);
    expect(seen?.culprit?.functionName).toBe('createSpans');
    expect(blockedSpans()[0]?.attributes).toMatchObject({ tenant: 'acme', 'code.function.name': 'createSpans' });
  });

  test('that throws harms neither the span nor the application', () => {
    const error = jest.fn();
    diag.setLogger({ error, warn: error, info: error, debug: error, verbose: error }, DiagLogLevel.ERROR);
    error.mockClear();
    const by = reporter({
      blockHook: () => {
        throw new Error('user code');
      },
    });
    expect(() => {
      report(recent(), by);
    }).not.toThrow();
    expect(blockedSpans()).toHaveLength(1);
    expect(error).toHaveBeenCalledTimes(1);
  });

  test('sees no code without captureStacks', () => {
    let seen: BlockInfo | undefined;
    const by = reporter({
      captureStacks: false,
      blockHook: (_, info) => {
        seen = info;
      },
    });
    report(recent(), by);
    expect(seen).toBeDefined();
    expect(seen?.culprit).toBeUndefined();
    expect(Object.keys(blockedSpans()[0]!.attributes).filter((name) => name.startsWith('code.'))).toEqual([]);
  });
});

describe('victims', () => {
  function request(name: string) {
    const span = recorder.tracer.startSpan(name, { kind: SpanKind.SERVER });
    open.add(span, ROOT_CONTEXT);
    return { span, context: trace.setSpan(ROOT_CONTEXT, span) };
  }

  /** A block of 200 ms that began just before all requests of the test, in which the contexts ran one after the other. */
  function blockOf(...parts: (readonly [context: Context, ms: number])[]): Block {
    const start = performance.now();
    const lengthMs = parts.reduce((sum, [, ms]) => sum + ms, 0);
    return block({ start, end: start + lengthMs, attribution: attribution(ranIn(parts, start)) });
  }

  test("are counted on the block's span, with their time", () => {
    const culprit = request('GET /slow');
    request('GET /a');
    request('GET /b');
    report(blockOf([culprit.context, 200]));
    expect(blockedSpans()[0]?.attributes).toMatchObject({ 'event_loop.blocked.victims': 2 });
    expect(blockedSpans()[0]?.attributes['event_loop.blocked.victim_wait_time']).toBeCloseTo(0.4, 6);
  });

  test('have no attributes where there are none', () => {
    const culprit = request('GET /slow');
    report(blockOf([culprit.context, 200]));
    expect(blockedSpans()[0]?.attributes).not.toHaveProperty('event_loop.blocked.victims');
  });

  test("link to the block's span", () => {
    const victim = request('GET /a');
    report(blockOf([ROOT_CONTEXT, 200]));
    victim.span.end();
    const [link] = recorder.spans('GET /a')[0]!.links;
    expect(link?.context.spanId).toBe(blockedSpans()[0]?.spanContext().spanId);
  });

  test('do not wait for time in which the running context is unknown', () => {
    const victim = request('GET /a');
    report(blockOf());
    victim.span.end();
    expect(waitOf('GET /a')).toBeUndefined();
    expect(linksOf('GET /a')).toEqual([]);
  });

  test('get their delay also from a block without a span', () => {
    const by = reporter({ spansPerMinute: 0 });
    report(block({ start: 0, end: 200 }), by);
    const victim = request('GET /b');
    report(blockOf([ROOT_CONTEXT, 200]), by);
    victim.span.end();
    expect(blockedSpans()).toHaveLength(1);
    expect(linksOf('GET /b')).toEqual([]);
    expect(waitOf('GET /b')).toBeCloseTo(0.2, 6);
  });

  test('have no link to a span of the block that the sampler drops', () => {
    const dropped = new Recorder({ sampler: new AlwaysOffSampler() });
    const victim = request('GET /a');
    reporter().report(blockOf([ROOT_CONTEXT, 200]), dropped.tracer, [open]);
    victim.span.end();
    expect(waitOf('GET /a')).toBeCloseTo(0.2, 6);
    expect(linksOf('GET /a')).toEqual([]);
  });

  test('that end after the block and before its report get their delay and their link by the report', () => {
    const ended = request('GET /ended');
    const late = request('GET /late');
    const of = blockOf([ROOT_CONTEXT, 200]);
    report({ ...of, endings: [endAt(ended.span, of.end + 1)] });
    late.span.end();
    expect(blockedSpans()).toHaveLength(1);
    expect(blockedSpans()[0]?.attributes).toMatchObject({ 'event_loop.blocked.victims': 2 });
    for (const name of ['GET /ended', 'GET /late']) {
      expect(waitOf(name)).toBeCloseTo(0.2, 6);
      expect(linksOf(name)).toEqual([blockedSpans()[0]?.spanContext().spanId]);
    }
  });

  test('do not include a request that caused the block, whenever it ends', () => {
    for (const [i, afterMs] of [-50, 0, 1].entries()) {
      const culprit = request(`GET /slow/${i}`);
      const of = blockOf([culprit.context, 200]);
      report({ ...of, endings: [endAt(culprit.span, of.end + afterMs)] });
      expect(waitOf(`GET /slow/${i}`)).toBeUndefined();
      expect(blockedSpans()[i]?.parentSpanContext?.spanId).toBe(culprit.span.spanContext().spanId);
    }
  });

  test('that end within the block get what they waited until then', () => {
    const victim = request('GET /a');
    const of = blockOf([ROOT_CONTEXT, 200]);
    const ending = endAt(victim.span, of.start + 150);
    expect(linksOf('GET /a')).toEqual([]);
    report({ ...of, endings: [ending] });
    expect(waitOf('GET /a')).toBeCloseTo(0.15, 6);
    expect(linksOf('GET /a')).toEqual([blockedSpans()[0]?.spanContext().spanId]);
    expect(blockedSpans()[0]?.attributes).toMatchObject({ 'event_loop.blocked.victims': 1 });
  });

  test('wait for the others only, where several requests share the block', () => {
    const [small, large, idle] = [request('GET /small'), request('GET /large'), request('GET /idle')];
    const of = blockOf([small.context, 200], [large.context, 800]);
    const endings = [endAt(small.span, of.start + 200), endAt(large.span, of.end)];
    report({ ...of, endings });
    idle.span.end();
    const [blocked] = blockedSpans();
    expect(blocked?.parentSpanContext?.spanId).toBe(large.span.spanContext().spanId);
    expect(blocked?.links.map(({ context }) => context.spanId)).toEqual([small.span.spanContext().spanId]);
    expect([waitOf('GET /small'), linksOf('GET /small')]).toEqual([undefined, []]);
    // It waited for a part of the block that is its own child, to which it needs no link.
    expect(waitOf('GET /large')).toBeCloseTo(0.2, 6);
    expect(linksOf('GET /large')).toEqual([]);
    expect(waitOf('GET /idle')).toBeCloseTo(1, 6);
    expect(linksOf('GET /idle')).toEqual([blocked?.spanContext().spanId]);
    expect(blocked?.attributes).toMatchObject({ 'event_loop.blocked.victims': 1 });
    expect(blocked?.attributes['event_loop.blocked.victim_wait_time']).toBeCloseTo(1, 6);
  });

  test('are charged once for a block that two instrumentations report', () => {
    const victim = request('GET /a');
    const of = blockOf([ROOT_CONTEXT, 200]);
    report(of);
    report(of, reporter());
    victim.span.end();
    expect(waitOf('GET /a')).toBeCloseTo(0.2, 6);
    expect(linksOf('GET /a')).toHaveLength(1);
  });

  function waitOf(name: string): unknown {
    return recorder.spans(name)[0]?.attributes['event_loop.blocked.wait_time'];
  }

  function linksOf(name: string): (string | undefined)[] {
    return recorder.spans(name)[0]!.links.map(({ context }) => context.spanId);
  }

  /** Ends a span before the block is reported. */
  function endAt(span: Span, at: number): SpanEnding {
    const trackedSpan = open.remove(span)!;
    trackedSpan.endedAt = at;
    span.end();
    return { at, context: ROOT_CONTEXT, asyncId: 0, trackedSpan };
  }
});
