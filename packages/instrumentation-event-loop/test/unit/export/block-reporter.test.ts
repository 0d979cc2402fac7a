import {
  diag,
  DiagLogLevel,
  INVALID_SPAN_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  ROOT_CONTEXT,
} from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Block } from '../../../src/contract/model.js';
import { BlockReporter, type BlockReporterOptions } from '../../../src/export/block-reporter.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { SPAN_EVENT_LOOP_BLOCKED } from '../../../src/semconv.js';
import type { BlockInfo } from '../../../src/types.js';
import { attribution, block, frame } from '../support/builders.js';
import { contextOf, Recorder, spanContext } from '../support/tracing.js';

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
  return new BlockReporter({ spansPerMinute: 60, captureStacks: true, blockHook: undefined, ...options });
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
    const contexts = [
      { context: contextOf(spanContext(1)), weightMs: 150, isCulprits: true },
      { context: contextOf(spanContext(2)), weightMs: 50, isCulprits: false },
    ];
    report(recent({ attribution: attribution({ contexts }) }));
    const [span] = blockedSpans();
    expect(span?.spanContext().traceId).toBe(spanContext(1).traceId);
    expect(span?.parentSpanContext?.spanId).toBe(spanContext(1).spanId);
    expect(span?.links.map(({ context }) => context.spanId)).toEqual([spanContext(2).spanId]);
  });

  test('under a parent that is not sampled is a root with a link to it, and is exported', () => {
    const unsampled = spanContext(1, { traceFlags: TraceFlags.NONE });
    const contexts = [{ context: contextOf(unsampled), weightMs: 200, isCulprits: true }];
    report(recent({ attribution: attribution({ contexts }) }));
    const [span] = blockedSpans();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(unsampled.traceId);
    expect(span?.links.map(({ context }) => context.spanId)).toEqual([unsampled.spanId]);
  });

  test('under an invalid span is a root', () => {
    const contexts = [{ context: contextOf(INVALID_SPAN_CONTEXT), weightMs: 200, isCulprits: true }];
    report(recent({ attribution: attribution({ contexts }) }));
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

  /** A block of 200 ms that begins now, so that all open spans wait for it. */
  function blockOf(context: unknown): Block {
    const start = performance.now();
    const contexts = [{ context, weightMs: 200, isCulprits: true }];
    return block({ start, end: start + 200, attribution: attribution({ contexts }) });
  }

  test("are counted on the block's span, with their time", () => {
    const culprit = request('GET /slow');
    request('GET /a');
    request('GET /b');
    report(blockOf(culprit.context));
    expect(blockedSpans()[0]?.attributes).toMatchObject({ 'event_loop.blocked.victims': 2 });
    expect(blockedSpans()[0]?.attributes['event_loop.blocked.victim_wait_time']).toBeCloseTo(0.4, 6);
  });

  test('have no attributes where there are none', () => {
    const culprit = request('GET /slow');
    report(blockOf(culprit.context));
    expect(blockedSpans()[0]?.attributes).not.toHaveProperty('event_loop.blocked.victims');
  });

  test("link to the block's span", () => {
    const victim = request('GET /a');
    report(blockOf(undefined));
    victim.span.end();
    const [link] = recorder.spans('GET /a')[0]!.links;
    expect(link?.context.spanId).toBe(blockedSpans()[0]?.spanContext().spanId);
  });

  test('get their delay also from a block without a span', () => {
    const by = reporter({ spansPerMinute: 0 });
    report(block({ start: 0, end: 200 }), by);
    const victim = request('GET /a');
    report(blockOf(undefined), by);
    victim.span.end();
    expect(blockedSpans()).toHaveLength(1);
    expect(recorder.spans('GET /a')[0]).toMatchObject({ links: [] });
    expect(recorder.spans('GET /a')[0]?.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.2, 6);
  });

  test('that end while the block is pending get their delay and their link, and the block has one span for all', () => {
    const by = reporter();
    const early = request('GET /early');
    const late = request('GET /late');
    const of = blockOf(undefined);
    const trackedSpan = open.remove(early.span)!;
    by.attributeDelayEarly(trackedSpan, of, () => of, recorder.tracer);
    early.span.end();
    by.report({ ...of, start: of.start + 0.3 }, recorder.tracer, [open]);
    late.span.end();
    expect(blockedSpans()).toHaveLength(1);
    expect(blockedSpans()[0]?.attributes).toMatchObject({ 'event_loop.blocked.victims': 2 });
    for (const name of ['GET /early', 'GET /late']) {
      const [span] = recorder.spans(name);
      expect(span?.attributes['event_loop.blocked.wait_time']).toBeCloseTo(0.2, 2);
      expect(span?.links.map(({ context }) => context.spanId)).toEqual([blockedSpans()[0]?.spanContext().spanId]);
    }
  });

  test('do not include a request that caused the block and ends while it is pending', () => {
    const by = reporter();
    const culprit = request('GET /slow');
    const of = blockOf(culprit.context);
    const trackedSpan = open.remove(culprit.span)!;
    by.attributeDelayEarly(trackedSpan, of, () => of, recorder.tracer);
    culprit.span.end();
    by.report(of, recorder.tracer, [open]);
    expect(recorder.spans('GET /slow')[0]?.attributes).not.toHaveProperty('event_loop.blocked.wait_time');
    expect(blockedSpans()[0]?.parentSpanContext?.spanId).toBe(culprit.span.spanContext().spanId);
  });

  test('do not include a request that began after the block, for which no provisional block is judged', () => {
    const by = reporter();
    const late = request('GET /late');
    const trackedSpan = open.remove(late.span)!;
    const provisional = jest.fn(() => block());
    by.attributeDelayEarly(
      trackedSpan,
      { start: trackedSpan.startedAt - 500, end: trackedSpan.startedAt + 0.5 },
      provisional,
      recorder.tracer,
    );
    expect(provisional).not.toHaveBeenCalled();
  });
});
