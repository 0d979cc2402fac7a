import { executionAsyncId } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, trace, type Context, type Span } from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { BlockWaits } from '../../../src/export/block-waits.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { trackedSpanOf } from '../../../src/export/tracked-span.js';
import { OTHER_CALLBACK } from '../support/open-spans-fixture.js';
import { contextOf, Recorder, spanContext } from '../support/tracing.js';

let now: number;
let open: OpenSpans;
let recorder: Recorder;

beforeEach(() => {
  now = 0;
  open = new OpenSpans(() => now);
  recorder = new Recorder();
});

interface Started {
  readonly span: Span;
  readonly context: Context;
}

function start(name: string, kind = SpanKind.SERVER, parent: Context = ROOT_CONTEXT): Started {
  const span = recorder.tracer.startSpan(name, { kind }, parent);
  open.add(span, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** A request that came with the span as its parent, as through HTTP headers. */
function receive(name: string, sender: Span): Started {
  return start(name, SpanKind.SERVER, contextOf({ ...sender.spanContext(), isRemote: true }));
}

type Ran = readonly [context: Context, ms: number, asyncId?: number];

/** How long each span waits in a block that begins at 1000. */
function waitsIn(ran: readonly Ran[], ...waiting: readonly Started[]): number[] {
  let at = 1000;
  const intervals = ran.map(([context, ms, asyncId = OTHER_CALLBACK]) => ({
    context,
    start: at,
    end: (at += ms),
    asyncId,
  }));
  const waits = new BlockWaits(intervals, 1000, () => open);
  return waiting.map(({ span }) => waits.waitMs(trackedSpanOf(span)!));
}

test('a span does not wait while either it or another one may have run; those beside them do', () => {
  const [a, b, beside] = [start('a'), start('b'), start('beside')];
  const intervals = [
    { context: a.context, start: 1000, end: 1150, seenUntil: 1100, asyncId: OTHER_CALLBACK },
    { context: b.context, start: 1150, end: 1400, seenFrom: 1200, asyncId: OTHER_CALLBACK },
    { context: a.context, start: 1400, end: 1500, asyncId: OTHER_CALLBACK },
  ];
  const waits = new BlockWaits(intervals, 1000, () => open);
  expect([a, b, beside].map(({ span }) => waits.waitMs(trackedSpanOf(span)!))).toEqual([200, 200, 500]);
});

test('a span within two that may have run counts that time once', () => {
  const outer = start('outer', SpanKind.INTERNAL);
  const inner = start('inner', SpanKind.CONSUMER, outer.context);
  const intervals = [
    { context: outer.context, start: 1000, end: 1150, seenUntil: 1100, asyncId: OTHER_CALLBACK },
    { context: inner.context, start: 1150, end: 1400, seenFrom: 1200, asyncId: OTHER_CALLBACK },
    { context: ROOT_CONTEXT, start: 1400, end: 1500, asyncId: OTHER_CALLBACK },
  ];
  const waits = new BlockWaits(intervals, 1000, () => open);
  expect([outer, inner].map(({ span }) => waits.waitMs(trackedSpanOf(span)!))).toEqual([100, 200]);
});

describe('a span that starts in a block', () => {
  const intervals = (a: Started, b: Started, asyncId: number) => [
    { context: a.context, start: 1000, end: 1200, lastSeenAt: 1150, asyncId },
    { context: b.context, start: 1200, end: 1400, seenFrom: 1250, lastSeenAt: 1350, asyncId },
  ];

  test.each([
    ['between two moments at which it is known who runs, waits', 1160, OTHER_CALLBACK, 240],
    ['after the last one, by another callback, does not wait: it may have run until the end', 1360, OTHER_CALLBACK, 0],
    ['after the last one, by the callback that runs, waits for it', 1360, executionAsyncId(), 40],
  ])('%s', (_how, startedAt, asyncId, waitMs) => {
    const [a, b] = [start('a'), start('b')];
    now = startedAt;
    const late = start('late');
    const waits = new BlockWaits(intervals(a, b, asyncId), 1000, () => open);
    expect(waits.waitMs(trackedSpanOf(late.span)!)).toBe(waitMs);
  });
});

describe('a span waits', () => {
  test('for others, and not for itself', () => {
    const [a, b] = [start('a'), start('b')];
    expect(
      waitsIn(
        [
          [a.context, 200],
          [b.context, 800],
        ],
        a,
        b,
      ),
    ).toEqual([800, 200]);
  });

  test('for work outside of any span', () => {
    expect(waitsIn([[ROOT_CONTEXT, 300]], start('a'))).toEqual([300]);
  });

  test('for a span around it, and for a span beside it', () => {
    const poll = start('poll', SpanKind.INTERNAL);
    const first = start('first', SpanKind.CONSUMER, poll.context);
    const second = start('second', SpanKind.CONSUMER, poll.context);
    const ran: Ran[] = [
      [poll.context, 50],
      [first.context, 100],
      [second.context, 10],
    ];
    expect(waitsIn(ran, poll, first, second)).toEqual([0, 60, 150]);
  });

  test('only while it is open', () => {
    const running = start('a');
    now = 1100;
    const late = start('b');
    trackedSpanOf(late.span)!.endedAt = 1250;
    expect(waitsIn([[running.context, 400]], late)).toEqual([150]);
  });

  test('not for spans within it', () => {
    const a = start('a');
    const inner = start('inner', SpanKind.INTERNAL, a.context);
    const message = start('message', SpanKind.CONSUMER, inner.context);
    expect(
      waitsIn(
        [
          [inner.context, 100],
          [message.context, 100],
        ],
        a,
      ),
    ).toEqual([0]);
  });
});

describe('a request that this process has sent to itself', () => {
  test('does not delay the client span that waits for its answer', () => {
    const client = start('client', SpanKind.CLIENT);
    const server = receive('server', client.span);
    const other = start('other');
    expect(waitsIn([[server.context, 500]], client, server, other)).toEqual([0, 0, 500]);
  });

  test('does not delay the request that has sent it', () => {
    const outer = start('outer');
    const client = start('client', SpanKind.CLIENT, outer.context);
    const server = receive('server', client.span);
    expect(waitsIn([[server.context, 500]], outer)).toEqual([0]);
  });

  test('delays another request of the same trace', () => {
    const remote = spanContext(7, { traceFlags: 1 });
    const [a, b] = [1, 2].map(() => start('a', SpanKind.SERVER, contextOf({ ...remote, isRemote: true })));
    expect(waitsIn([[a!.context, 500]], a!, b!)).toEqual([0, 500]);
  });

  test('has a ring of parents only in wrong data, which is no endless loop', () => {
    const a = start('a', SpanKind.SERVER, contextOf({ ...spanContext(7), isRemote: true }));
    const b = receive('b', a.span);
    trackedSpanOf(a.span)!.remoteParentId = b.span.spanContext().spanId;
    expect(
      waitsIn(
        [
          [a.context, 100],
          [b.context, 100],
        ],
        a,
        b,
      ),
    ).toHaveLength(2);
  });
});

describe('work whose owner is not certain', () => {
  test('in a span that is not recorded delays no span of its trace, but those of others', () => {
    const a = start('a');
    const unrecorded = contextOf({ ...spanContext(5), traceId: a.span.spanContext().traceId, traceFlags: 0 });
    expect(waitsIn([[unrecorded, 300]], a, start('b'))).toEqual([0, 300]);
  });

  test('of the callback that started a span without making it active does not delay that span', () => {
    const before = start('before');
    now = 1000;
    const manual = start('manual');
    expect(waitsIn([[ROOT_CONTEXT, 300, executionAsyncId()]], before, manual)).toEqual([300, 0]);
  });

  test('of another callback delays it', () => {
    now = 1000;
    expect(waitsIn([[ROOT_CONTEXT, 300]], start('manual'))).toEqual([300]);
  });

  test('in an active span is certain, also in the callback that started the other', () => {
    const a = start('a');
    now = 1000;
    expect(waitsIn([[a.context, 300, executionAsyncId()]], start('b'))).toEqual([300]);
  });
});
