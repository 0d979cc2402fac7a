import { performance } from 'node:perf_hooks';
import { SpanKind, trace, type Context, type Span, type SpanContext } from '@opentelemetry/api';
import { ATTR_BLOCKED_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG } from '../semconv.js';
import { safely } from './safely.js';

/** Open spans that are followed; the oldest are let go, so that spans which nobody ends cost a bounded memory. */
const MAX_OPEN = 10_000;
/** Links that a span gets; the wait of further blocks counts all the same. */
const MAX_LINKS = 32;
/** A span that opened this shortly before a block ended, in ms, did not wait for it. */
const MIN_WAIT_MS = 1;

const TRACKED_SPAN = Symbol.for('loopwatch.owner');
const now = performance.now.bind(performance);

/** What is known of a span that may have to wait: SERVER, CONSUMER and local roots. */
export interface TrackedSpan {
  readonly span: SdkSpan;
  /** The one it stands in, within this process. */
  readonly outer: TrackedSpan | undefined;
  /** On the thread's `performance.now()` time line. */
  readonly startedAt: number;
  waitMs: number;
  linkCount: number;
  /** Where it is followed; undefined when it is not, any more. */
  openIn: OpenSpans | undefined;
  /** Its neighbours there; undefined at the ends. */
  older: TrackedSpan | undefined;
  newer: TrackedSpan | undefined;
}

/** An SDK's span; its owner is kept on it, which is the cheapest place there is. */
type SdkSpan = Span & {
  readonly name?: string;
  readonly kind?: SpanKind;
  [TRACKED_SPAN]?: TrackedSpan | undefined;
};

/** A block, as far as those who wait for it are concerned. */
export interface Delay {
  readonly start: number;
  readonly end: number;
  /** The requests that made it, innermost first. */
  readonly blockingSpans: ReadonlySet<TrackedSpan>;
  /** Undefined when the block has no span. */
  readonly spanContext: SpanContext | undefined;
}

export interface DelayTotal {
  readonly victims: number;
  readonly waitMs: number;
}

/**
 * The open spans of one SDK that blocks may delay, in a linked list: a `Set` that goes from none to one and back, request
 * after request, costs as much as all else that we do for a span.
 */
export class OpenSpans {
  #oldest: TrackedSpan | undefined;
  #newest: TrackedSpan | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(started: Span, parentContext: Context): void {
    const span = started as SdkSpan;
    const parent = trace.getSpan(parentContext) as SdkSpan | undefined;
    const outer = parent?.[TRACKED_SPAN];
    if (outer !== undefined && span.kind !== SpanKind.SERVER && span.kind !== SpanKind.CONSUMER) {
      span[TRACKED_SPAN] = outer;
      return;
    }
    if (span.name === SPAN_EVENT_LOOP_BLOCKED || span.name === SPAN_EVENT_LOOP_HANG) return;
    if (span[TRACKED_SPAN]?.span === span) return; // a processor before this one follows it
    const older = this.#newest;
    const startedAt = now();
    const trackedSpan: TrackedSpan = {
      span,
      outer,
      startedAt,
      waitMs: 0,
      linkCount: 0,
      openIn: this,
      older,
      newer: undefined,
    };
    span[TRACKED_SPAN] = trackedSpan;
    if (older) older.newer = trackedSpan;
    else this.#oldest = trackedSpan;
    this.#newest = trackedSpan;
    this.#size++;
    if (this.#size > MAX_OPEN) this.#letGo(this.#oldest!);
  }

  /** Takes out a span that ends; returns its owner record when it is one that may have waited. */
  remove(ended: Span): TrackedSpan | undefined {
    const span = ended as SdkSpan;
    const trackedSpan = span[TRACKED_SPAN];
    if (trackedSpan?.span !== span || trackedSpan.openIn !== this) return undefined;
    this.#letGo(trackedSpan);
    return trackedSpan;
  }

  /** Charges the block to all open spans that waited for it. */
  attributeDelay(delay: Delay): DelayTotal {
    let victims = 0;
    let waitMs = 0;
    for (let trackedSpan = this.#oldest; trackedSpan; trackedSpan = trackedSpan.newer) {
      const waitedMs = attributeDelayTo(trackedSpan, delay);
      if (waitedMs === 0) continue;
      victims++;
      waitMs += waitedMs;
    }
    return { victims, waitMs };
  }

  #letGo(trackedSpan: TrackedSpan): void {
    const { older, newer } = trackedSpan;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    trackedSpan.openIn = undefined;
    trackedSpan.older = undefined;
    trackedSpan.newer = undefined;
    this.#size--;
  }
}

/** Charges a block to one span; returns the ms that it waited, 0 when it did not or when the block is its own. */
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

/** The spans that the code under this context works for. */
export function blockingSpansOf(context: Context): Set<TrackedSpan> {
  const blockingSpans = new Set<TrackedSpan>();
  const innermost = safely(() => (trace.getSpan(context) as SdkSpan | undefined)?.[TRACKED_SPAN], undefined);
  for (let trackedSpan = innermost; trackedSpan; trackedSpan = trackedSpan.outer) blockingSpans.add(trackedSpan);
  return blockingSpans;
}
