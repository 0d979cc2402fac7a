import {
  trace,
  type Context,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  type SpanKind,
} from '@opentelemetry/api';
import { Math, Reflect, Set } from '../contract/built-ins.js';
import { ATTR_BLOCKED_WAIT_TIME } from '../semconv.js';
import { safely } from './safely.js';

/** Links that a span gets at most; the wait for further blocks is still added. */
const MAX_LINKS = 32;
/** Blocks that are kept for each span, to correct its delay when its end is back-dated. */
const MAX_DELAYS = 32;
/** A span that waited less than this time for a block, in ms, did not wait for it. */
const MIN_WAIT_MS = 1;
/** Spans of outgoing requests that are kept for each tracked span; the oldest are evicted first. */
const MAX_OUTGOING = 32;
/** A span whose end differs less than this from the moment of its `end` call, in ms, is not back-dated. */
const END_TOLERANCE_MS = 5;

const TRACKED_SPAN = Symbol.for('loopwatch.tracked-span.2');

/** A span that blocks may delay: SERVER, CONSUMER, or a local root. */
export interface TrackedSpan {
  readonly span: SdkSpan;
  /** The tracked span around it, within this process. */
  outer: TrackedSpan | undefined;
  /** Id of its parent when that came from outside; undefined once the parent was looked for in this process. */
  remoteParentId: string | undefined;
  /** When it was started, as a `performance.now()` value of the thread. A back-dated start does not count. */
  readonly startedAt: number;
  /** Node's id of the callback in which it was started, `executionAsyncId()`. */
  readonly startedIn: number;
  endedAt: number | undefined;
  /** Ids of the spans within it that another request may have as its parent: those of outgoing requests. */
  outgoing: string[] | undefined;
  waitMs: number;
  linkCount: number;
  /** The blocks that it has waited for; after its end, only their ids, so that it holds no other spans. */
  delays: AttributedDelay[];
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
  readonly parentSpanContext?: SpanContext | undefined;
  readonly endTime?: HrTime;
  readonly duration?: HrTime;
  readonly attributes?: Record<string, unknown>;
  readonly links?: Link[];
  [TRACKED_SPAN]?: TrackedSpan | undefined;
};

/** How long spans waited in a block. */
export interface Waits {
  /** How long the span waited until its end or `until`, ms. */
  waitMs(trackedSpan: TrackedSpan, until?: number): number;
}

/** The data of a block that is needed to attribute its delay to spans. */
export interface Delay {
  /** Identifies the block. */
  readonly blockId: object;
  readonly waits: Waits;
  /** The tracked spans around the block's span, innermost first. */
  readonly blockingSpans: ReadonlySet<TrackedSpan>;
  /** Undefined when the block has no span. */
  readonly spanContext: SpanContext | undefined;
}

interface AttributedDelay {
  readonly blockId: object;
  readonly delay: Delay | undefined;
}

/** The tracked span that a span belongs to: the span itself, or the tracked span around it. */
export function trackedSpanOf(span: SdkSpan | undefined): TrackedSpan | undefined {
  return span?.[TRACKED_SPAN];
}

export function setTrackedSpan(span: SdkSpan, trackedSpan: TrackedSpan): void {
  span[TRACKED_SPAN] = trackedSpan;
}

/** Keeps the id of a span of an outgoing request: the request may come back to this process. */
export function addOutgoing(trackedSpan: TrackedSpan, spanId: string): void {
  const outgoing = (trackedSpan.outgoing ??= []);
  keepLast(outgoing, spanId, MAX_OUTGOING);
}

/**
 * Attributes the delay of a block to one span, once. Returns how long it waited, ms; 0 when it did not wait. Also 0 when the
 * block's span is within it: such a span waited for a part of its own block, and needs no link to it.
 */
export function attributeDelayTo(trackedSpan: TrackedSpan, delay: Delay): number {
  for (let i = 0; i < trackedSpan.delays.length; i++) if (trackedSpan.delays[i]!.blockId === delay.blockId) return 0;
  const waitMs = delay.waits.waitMs(trackedSpan);
  if (waitMs < MIN_WAIT_MS) return 0;
  const attributed = { blockId: delay.blockId, delay: trackedSpan.endedAt === undefined ? delay : undefined };
  keepLast(trackedSpan.delays, attributed, MAX_DELAYS);
  trackedSpan.waitMs += waitMs;
  setWait(trackedSpan.span, trackedSpan.waitMs);
  if (delay.blockingSpans.has(trackedSpan)) return 0;
  if (delay.spanContext && trackedSpan.linkCount < MAX_LINKS) {
    trackedSpan.linkCount++;
    addLink(trackedSpan.span, { context: delay.spanContext });
  }
  return waitMs;
}

/**
 * Notes the end of a span, at `now` or, where its end is back-dated, before. In the second case its delay is corrected:
 * it did not wait for what came after its end.
 */
export function endTrackedSpan(trackedSpan: TrackedSpan, now: number): void {
  trackedSpan.endedAt = now - safely(() => endedAgoMs(trackedSpan, now), 0);
  if (trackedSpan.delays.length === 0) return;
  if (trackedSpan.endedAt < now) correctDelays(trackedSpan, now);
  const { delays } = trackedSpan;
  for (let i = 0; i < delays.length; i++) delays[i] = { blockId: delays[i]!.blockId, delay: undefined };
}

function correctDelays(trackedSpan: TrackedSpan, now: number): void {
  for (let i = 0; i < trackedSpan.delays.length; i++) {
    const { delay } = trackedSpan.delays[i]!;
    if (!delay) continue;
    const waitMs = delay.waits.waitMs(trackedSpan);
    trackedSpan.waitMs -= delay.waits.waitMs(trackedSpan, now) - waitMs;
    if (waitMs < MIN_WAIT_MS) removeLink(trackedSpan.span, delay.spanContext);
  }
  setWait(trackedSpan.span, trackedSpan.waitMs < MIN_WAIT_MS ? 0 : trackedSpan.waitMs);
}

/** The tracked spans that contain the work of this context, innermost first. */
export function blockingSpansOf(context: Context): Set<TrackedSpan> {
  const blockingSpans = new Set<TrackedSpan>();
  const innermost = safely(() => trackedSpanOf(trace.getSpan(context)), undefined);
  for (let trackedSpan = innermost; trackedSpan; trackedSpan = trackedSpan.outer) blockingSpans.add(trackedSpan);
  return blockingSpans;
}

/** How long before `now` the span ended, ms; 0 unless its end is back-dated. */
function endedAgoMs({ span, startedAt }: TrackedSpan, now: number): number {
  if (!span.duration || !span.endTime || span.duration[0] < 0) return 0;
  // Compared first, because this does not depend on the wall clock, which may have been set meanwhile.
  if (Math.abs(toMs(span.duration) - (now - startedAt)) <= END_TOLERANCE_MS) return 0;
  // The clock that the SDK reads, too: a test of the application may have replaced it.
  const agoMs = Date.now() - toMs(span.endTime);
  return agoMs > END_TOLERANCE_MS ? agoMs : 0;
}

function toMs(time: HrTime): number {
  return time[0] * 1000 + time[1] / 1e6;
}

/** Adds to a list, of which the first is dropped when it is full. */
function keepLast<T>(list: T[], added: T, limit: number): void {
  if (list.length === limit) {
    for (let i = 1; i < limit; i++) list[i - 1] = list[i]!;
    list.length--;
  }
  list[list.length] = added;
}

/**
 * A span that ended before the report is corrected after its end, which the SDK's methods refuse. It reaches the exporter
 * corrected unless it has been exported before.
 */
function setWait(span: SdkSpan, waitMs: number): void {
  if (span.isRecording()) span.setAttribute(ATTR_BLOCKED_WAIT_TIME, waitMs / 1000);
  else if (span.attributes) span.attributes[ATTR_BLOCKED_WAIT_TIME] = waitMs / 1000;
  if (waitMs === 0 && span.attributes) Reflect.deleteProperty(span.attributes, ATTR_BLOCKED_WAIT_TIME);
}

function addLink(span: SdkSpan, link: Link): void {
  if (span.isRecording()) span.addLink(link);
  else span.links?.push(link);
}

function removeLink(span: SdkSpan, spanContext: SpanContext | undefined): void {
  const index = span.links?.findIndex(({ context }) => context.spanId === spanContext?.spanId) ?? -1;
  if (index >= 0) span.links?.splice(index, 1);
}
