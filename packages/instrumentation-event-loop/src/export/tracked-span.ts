import { trace, type Context, type Span, type SpanContext, type SpanKind } from '@opentelemetry/api';
import { ATTR_BLOCKED_WAIT_TIME } from '../semconv.js';
import { safely } from './safely.js';

/** Links that a span gets; the wait for further blocks is still added up. */
const MAX_LINKS = 32;
/** A span that opened this shortly before a block ended, in ms, did not wait for it. */
const MIN_WAIT_MS = 1;

const TRACKED_SPAN = Symbol.for('loopwatch.tracked-span');

/** A span that blocks may delay: SERVER, CONSUMER, or a local root. */
export interface TrackedSpan {
  readonly span: SdkSpan;
  /** The tracked span around it, within this process. */
  readonly outer: TrackedSpan | undefined;
  /** On the thread's `performance.now()` time line. */
  readonly startedAt: number;
  waitMs: number;
  linkCount: number;
  /** Identity of the list that it is in; undefined once it has ended or was evicted. */
  openIn: object | undefined;
  /** Its neighbours in that list; undefined at the ends. */
  older: TrackedSpan | undefined;
  newer: TrackedSpan | undefined;
}

/** An SDK's span. It carries its tracked span as a property, which costs less than any map. */
export type SdkSpan = Span & {
  readonly name?: string;
  readonly kind?: SpanKind;
  [TRACKED_SPAN]?: TrackedSpan | undefined;
};

/** A block, as far as the spans that waited for it are concerned. */
export interface Delay {
  readonly start: number;
  readonly end: number;
  /** The tracked spans whose code blocked, innermost first: they did not wait. */
  readonly blockingSpans: ReadonlySet<TrackedSpan>;
  /** Undefined when the block has no span. */
  readonly spanContext: SpanContext | undefined;
}

/** The tracked span that a span belongs to: its own, or the one around it. */
export function trackedSpanOf(span: SdkSpan | undefined): TrackedSpan | undefined {
  return span?.[TRACKED_SPAN];
}

export function setTrackedSpan(span: SdkSpan, trackedSpan: TrackedSpan): void {
  span[TRACKED_SPAN] = trackedSpan;
}

/** Attributes the delay to one span; returns the ms that it waited, 0 when it did not wait or has blocked itself. */
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

/** The tracked spans that code under this context works for, innermost first. */
export function blockingSpansOf(context: Context): Set<TrackedSpan> {
  const blockingSpans = new Set<TrackedSpan>();
  const innermost = safely(() => trackedSpanOf(trace.getSpan(context)), undefined);
  for (let trackedSpan = innermost; trackedSpan; trackedSpan = trackedSpan.outer) blockingSpans.add(trackedSpan);
  return blockingSpans;
}
