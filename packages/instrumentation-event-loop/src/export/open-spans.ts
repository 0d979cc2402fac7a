import { executionAsyncId } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { SpanKind, trace, type Context, type Span } from '@opentelemetry/api';
import { SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG } from '../semconv.js';
import {
  addOutgoing,
  attributeDelayTo,
  endTrackedSpan,
  setTrackedSpan,
  trackedSpanOf,
  type Delay,
  type SdkSpan,
  type TrackedSpan,
} from './tracked-span.js';

/** Open spans that are tracked. The oldest are evicted first, so that spans that never end take bounded memory. */
const MAX_OPEN = 10_000;

const performanceNow = performance.now.bind(performance);

/** Total of the delays that one block has caused. */
export interface DelayTotal {
  readonly victims: number;
  /** Sum over the victims. */
  readonly waitMs: number;
}

/**
 * The open spans of one SDK that blocks may delay. It is a linked list, because a `Set` whose size changes from 0 to 1
 * and back with every request costs as much as all other work for a span.
 */
export class OpenSpans implements Iterable<TrackedSpan> {
  readonly #now: () => number;
  #oldest: TrackedSpan | undefined;
  #newest: TrackedSpan | undefined;
  #size = 0;

  constructor(now: () => number = performanceNow) {
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  add(started: Span, parentContext: Context): void {
    const span: SdkSpan = started;
    const outer = trackedSpanOf(trace.getSpan(parentContext));
    if (outer !== undefined && span.kind !== SpanKind.SERVER && span.kind !== SpanKind.CONSUMER) {
      setTrackedSpan(span, outer);
      if (span.kind === SpanKind.CLIENT || span.kind === SpanKind.PRODUCER)
        addOutgoing(outer, span.spanContext().spanId);
      return;
    }
    if (span.name === SPAN_EVENT_LOOP_BLOCKED || span.name === SPAN_EVENT_LOOP_HANG) return;
    if (trackedSpanOf(span)?.span === span) return; // another span processor tracks it already
    const older = this.#newest;
    const trackedSpan: TrackedSpan = {
      span,
      outer,
      remoteParentId: outer ? undefined : remoteParentId(span),
      startedAt: this.#now(),
      startedIn: executionAsyncId(),
      endedAt: undefined,
      outgoing: undefined,
      waitMs: 0,
      linkCount: 0,
      delays: [],
      openIn: this,
      older,
      newer: undefined,
    };
    setTrackedSpan(span, trackedSpan);
    if (older) older.newer = trackedSpan;
    else this.#oldest = trackedSpan;
    this.#newest = trackedSpan;
    this.#size++;
    if (this.#size > MAX_OPEN) this.#unlink(this.#oldest!);
  }

  /** Removes a span that ends now; returns its tracked span, or undefined when this list does not track it. */
  remove(ended: Span): TrackedSpan | undefined {
    const trackedSpan = trackedSpanOf(ended);
    if (trackedSpan?.span !== ended || trackedSpan.openIn !== this) return undefined;
    this.#unlink(trackedSpan);
    endTrackedSpan(trackedSpan, this.#now());
    return trackedSpan;
  }

  *[Symbol.iterator](): Iterator<TrackedSpan> {
    for (let trackedSpan = this.#oldest; trackedSpan; trackedSpan = trackedSpan.newer) yield trackedSpan;
  }

  /** Attributes the delay to all open spans that waited for the block. */
  attributeDelay(delay: Delay): DelayTotal {
    let victims = 0;
    let waitMs = 0;
    for (let trackedSpan = this.#oldest; trackedSpan; trackedSpan = trackedSpan.newer) {
      const spanWaitMs = attributeDelayTo(trackedSpan, delay);
      if (spanWaitMs === 0) continue;
      victims++;
      waitMs += spanWaitMs;
    }
    return { victims, waitMs };
  }

  #unlink(trackedSpan: TrackedSpan): void {
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

/** The span id of a parent that came from outside, as with an incoming request. */
function remoteParentId({ parentSpanContext }: SdkSpan): string | undefined {
  return parentSpanContext?.isRemote === true ? parentSpanContext.spanId : undefined;
}
