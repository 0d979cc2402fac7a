import { trace, type Context, type Span, type SpanContext, type SpanKind } from '@opentelemetry/api';
import { ATTR_BLOCKED_WAIT_TIME } from '../semconv.js';
import { safely } from './safely.js';

/** Links that a span gets at most; the wait for further blocks is still added. */
const MAX_LINKS = 32;
/** A span that started less than this time before the end of a block, in ms, did not wait for it. */
const MIN_WAIT_MS = 1;

const TRACKED_SPAN = Symbol.for('loopwatch.tracked-span');

/** A span that blocks may delay: SERVER, CONSUMER, or a local root. */
export interface TrackedSpan {
  readonly span: SdkSpan;
  /** The tracked span around it, within this process. */
  readonly outer: TrackedSpan | undefined;
  /** As a `performance.now()` value of the thread. */
  readonly startedAt: number;
  waitMs: number;
  linkCount: number;
  /** The list that contains it, compared by identity; undefined after the span has ended or was evicted. */
  openIn: object | undefined;
  /** Its neighbours in that list; undefined at the ends. */
  older: TrackedSpan | undefined;
  newer: TrackedSpan | undefined;
}

/** An SDK's span. It has its tracked span as a property, which costs less than a map. */
export type SdkSpan = Span & {
  readonly name?: string;
  readonly kind?: SpanKind;
  [TRACKED_SPAN]?: TrackedSpan | undefined;
};

/** The data of a block that is needed to attribute its delay to spans. */
export interface Delay {
  readonly start: number;
  readonly end: number;
  /** The tracked spans whose code blocked, innermost first: no delay is attributed to them. */
  readonly blockingSpans: ReadonlySet<TrackedSpan>;
  /** Undefined when the block has no span. */
  readonly spanContext: SpanContext | undefined;
}

/** The tracked span that a span belongs to: the span itself, or the tracked span around it. */
export function trackedSpanOf(span: SdkSpan | undefined): TrackedSpan | undefined {
  return span?.[TRACKED_SPAN];
}

export function setTrackedSpan(span: SdkSpan, trackedSpan: TrackedSpan): void {
  span[TRACKED_SPAN] = trackedSpan;
}

/** Attributes the delay to one span. Returns how long it waited, ms; 0 when it did not wait or its own code blocked. */
export function attributeDelayTo(trackedSpan: TrackedSpan, { start, end, blockingSpans, spanContext }: Delay): number {
  const waitMs = end - Math.max(start, trackedSpan.startedAt);
  if (waitMs < MIN_WAIT_MS || blockingSpans.has(trackedSpan)) return 0;
  trackedSpan.waitMs += waitMs;
  trackedSpan.span.setAttribute(ATTR_BLOCKED_WAIT_TIME, trackedSpan.waitMs / 1000);
  if (spanContext && trackedSpan.linkCount < MAX_LINKS) {
    trackedSpan.linkCount++;
    trackedSpan.span.addLink({ context: spanContext });
  }
  return waitMs;
}

/** The tracked spans that contain the work of this context, innermost first. */
export function blockingSpansOf(context: Context): Set<TrackedSpan> {
  const blockingSpans = new Set<TrackedSpan>();
  const innermost = safely(() => trackedSpanOf(trace.getSpan(context)), undefined);
  for (let trackedSpan = innermost; trackedSpan; trackedSpan = trackedSpan.outer) blockingSpans.add(trackedSpan);
  return blockingSpans;
}
