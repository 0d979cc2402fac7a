import { executionAsyncId } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind, trace, type Context, type Span } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { JUDGE_DELAY_MS } from '../../../src/monitor/pending-blocks.js';
import type { Block } from '../../../src/contract/model.js';
import { BlockReporter } from '../../../src/export/block-reporter.js';
import { contextReader } from './context-reader.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { Judging } from '../../../src/monitor/judging.js';
import { OwnWork } from '../../../src/monitor/own-work.js';
import { Subscribers } from '../../../src/monitor/subscribers.js';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import { SPAN_EVENT_LOOP_BLOCKED } from '../../../src/semconv.js';
import { frame, judgeContext, reading, sample } from './builders.js';
import type { Schedule, Stretch } from './schedules.js';
import { heldSpans, Recorder } from './tracing.js';
import { subscriber } from './subscriber.js';

const THRESHOLD_MS = 100;
/** A callback in which no span is started. */
const OTHER_CALLBACK = -1;

export interface Outcome {
  readonly blocks: readonly { readonly block: Block; readonly span: ReadableSpan | undefined }[];
  /** Of each request, once it has ended. */
  readonly spans: readonly (ReadableSpan | undefined)[];
  readonly spanIds: readonly string[];
  /** Of the span within each request. */
  readonly innerIds: readonly (string | undefined)[];
  /** When it was known which request ran, since the start of the block. */
  readonly evidence: readonly { readonly at: number; readonly request: number | undefined }[];
}

/**
 * Runs a schedule through judging, reporter and SDK, with or without the span processor. The wall clock stands still:
 * a pause of the test's own process must not look like a back-dated end.
 */
export function runSchedule(schedule: Schedule, hasProcessor: boolean): Outcome {
  const wallClock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  try {
    return run(schedule, hasProcessor);
  } finally {
    wallClock.mockRestore();
  }
}

function run(schedule: Schedule, hasProcessor: boolean): Outcome {
  const start = 10_000;
  let now = start - 1000;
  let active: Context = ROOT_CONTEXT;
  const evidence: { at: number; request: number | undefined }[] = [];
  const blocks: Block[] = [];
  const samples = new SampleBuffer(10_000);
  const open = new OpenSpans(() => now);
  const recorder = new Recorder({ spanProcessors: hasProcessor ? [processor()] : [] });
  const reporter = new BlockReporter({ spansPerMinute: 1e6, captureStacks: true, blockHook: undefined }, heldSpans());
  const subscribers = new Subscribers();
  const timers: (() => void)[] = [];
  const contexts = { ...contextReader, active: () => active };
  const judging = new Judging({
    subscribers,
    now: () => now,
    timers: { setTimeout: (callback: () => void) => timers.push(callback) },
    ownWork: new OwnWork(() => now),
    isWorker: false,
    threadName: 'main',
    contexts,
    judgeContext: () => judgeContext({ thresholdMs: THRESHOLD_MS }),
    isMapping: () => false,
    heldUntil: () => -Infinity,
    onJudged: () => undefined,
    onError: rethrow,
  });
  subscribers.add(
    subscriber({
      blockedThresholdMs: THRESHOLD_MS,
      sampleIntervalMs: 1,
      onBlock: (block) => {
        blocks.push(block);
        reporter.report(block, recorder.tracer, [open]);
      },
      onProblem: rethrow,
    }),
  );

  const requests: { span: Span; context: Context; inner: Context }[] = [];
  const pending = schedule.requests.map(({ startAt, endAt }, i) => ({ startAt, endAt, i }));
  const startDue = (at: number): void => {
    for (const due of pending
      .filter((request) => request.startAt <= at)
      .sort((a, b) => a.startAt - b.startAt || a.i - b.i)) {
      now = start + due.startAt;
      begin(due.i);
      due.startAt = Infinity;
    }
  };
  const endDue = (at: number): void => {
    for (const due of pending.filter((request) => request.endAt <= at).sort((a, b) => a.endAt - b.endAt || b.i - a.i)) {
      now = start + due.endAt;
      end(due.i);
      due.endAt = Infinity;
    }
  };

  // Requests without a stretch may end before the iteration.
  startDue(-1);
  endDue(-1);
  let asked = 0;
  let lastTakenAt = -1;
  for (const stretch of schedule.stretches) {
    startDue(stretch.start);
    endDue(stretch.start);
    active = contextIn(stretch);
    for (; asked < schedule.askedAt.length && schedule.askedAt[asked]! < stretch.end; asked++) {
      const requestedAt = schedule.askedAt[asked]!;
      const takenAt = stretch.isNative ? stretch.end : requestedAt;
      if (stretch.isNative && lastTakenAt === takenAt) continue;
      lastTakenAt = takenAt;
      startDue(takenAt);
      now = start + takenAt;
      evidence.push({ at: takenAt, request: stretch.request });
      const asyncId = schedule.isBatch ? executionAsyncId() : OTHER_CALLBACK;
      const at = { requestedAt: start + requestedAt, takenAt: now, asyncId };
      samples.add(sample([frame('handler')], { ...at, context: active }));
    }
    startDue(stretch.end);
    // A request ends in its own context, like that of an HTTP server, also when another has just run.
    endDue(stretch.end);
  }
  active = ROOT_CONTEXT;
  now = start + schedule.lengthMs;
  judging.addPeriod({ ...periodUntil(now), samples: samples.take(start, now) });
  endDue(schedule.lengthMs + JUDGE_DELAY_MS / 2);
  now = start + schedule.lengthMs + JUDGE_DELAY_MS;
  for (const timer of timers.splice(0)) timer();
  judging.flush();
  endDue(Number.MAX_VALUE);

  const exported = recorder.spans();
  const bySpanId = new Map(exported.map((span) => [span.spanContext().spanId, span]));
  const spanIds = requests.map(({ span }) => span.spanContext().spanId);
  const blocked = recorder.spans(SPAN_EVENT_LOOP_BLOCKED);
  return {
    blocks: blocks.map((block, i) => ({ block, span: blocked[i] })),
    spans: spanIds.map((spanId) => bySpanId.get(spanId)),
    spanIds,
    innerIds: requests.map(({ inner }) => trace.getSpanContext(inner)?.spanId),
    evidence: evidence.sort((a, b) => a.at - b.at),
  };

  function begin(i: number): void {
    const { kind, outer, endedAgoMs } = schedule.requests[i]!;
    const parent = outer === undefined ? ROOT_CONTEXT : requests[outer]!.context;
    // A span whose start is long ago in the trace can end before now.
    const startTime = endedAgoMs > 0 ? { startTime: Date.now() - 1e7 } : {};
    const span = recorder.tracer.startSpan(`request ${i}`, { kind, ...startTime }, parent);
    const context = trace.setSpan(parent, span);
    const inner = recorder.tracer.startSpan('inner', { kind: SpanKind.INTERNAL }, context);
    requests[i] = { span, context, inner: trace.setSpan(context, inner) };
  }

  function end(i: number): void {
    const { endedAgoMs } = schedule.requests[i]!;
    const before = active;
    active = schedule.isBatch ? ROOT_CONTEXT : requests[i]!.context;
    const isInBlock = now >= start + 10 && now <= start + schedule.lengthMs;
    if (isInBlock && hasProcessor && !schedule.isBatch) evidence.push({ at: now - start, request: i });
    requests[i]!.span.end(...(endedAgoMs > 0 ? [Date.now() - endedAgoMs] : []));
    active = before;
  }

  function contextIn({ request, isInner }: Stretch): Context {
    if (request === undefined) return ROOT_CONTEXT;
    return isInner ? requests[request]!.inner : requests[request]!.context;
  }

  function periodUntil(end: number) {
    return {
      start,
      end,
      startUp: 'over' as const,
      mayHaveLostIdle: false,
      hang: undefined,
      before: reading(start, 50, 200, 0),
      after: reading(end, 50, 200 + end - start, 0),
    };
  }

  function processor() {
    return {
      onStart: (span: Span, parent: Context) => {
        open.add(span, parent);
      },
      onEnding: (span: Span) => {
        const trackedSpan = open.remove(span);
        const isInBlock = now >= start + 10 && now <= start + schedule.lengthMs;
        if (trackedSpan && (isInBlock || !judging.isEmpty)) judging.onSpanEnding(trackedSpan, now, start);
      },
      onEnd: () => undefined,
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
  }
}

function rethrow(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}
