import { performance } from 'node:perf_hooks';
import { SpanKind, trace, type Context, type Span, type SpanContext } from '@opentelemetry/api';
import { ATTR_BLOCKED_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG } from '../semconv.js';
import { attempt } from './safely.js';

/** Open spans that are followed; the oldest are let go, so that spans which nobody ends cost a bounded memory. */
const MAX_OPEN = 10_000;
/** Links that a span gets; the wait of further blocks counts all the same. */
const MAX_LINKS = 32;
/** A span that opened this shortly before a block ended, in ms, did not wait for it. */
const MIN_WAIT_MS = 1;

const OWNER = Symbol.for('loopwatch.owner');
const now = performance.now.bind(performance);

/** What is known of a span that may have to wait: SERVER, CONSUMER and local roots. */
export interface Owner {
  readonly span: OwnedSpan;
  /** The one it stands in, within this process. */
  readonly outer: Owner | undefined;
  /** On the thread's `performance.now()` time line. */
  readonly startedAt: number;
  waitMs: number;
  linkCount: number;
  /** Where it is followed; undefined when it is not, any more. */
  openIn: OpenSpans | undefined;
  /** Its neighbours there; undefined at the ends. */
  older: Owner | undefined;
  newer: Owner | undefined;
}

/** An SDK's span; its owner is kept on it, which is the cheapest place there is. */
type OwnedSpan = Span & {
  readonly name?: string;
  readonly kind?: SpanKind;
  [OWNER]?: Owner | undefined;
};

/** A block, as far as those who wait for it are concerned. */
export interface Delay {
  readonly start: number;
  readonly end: number;
  /** The requests that made it, innermost first. */
  readonly makers: ReadonlySet<Owner>;
  /** Undefined when the block has no span. */
  readonly spanContext: SpanContext | undefined;
}

export interface Toll {
  readonly victims: number;
  readonly waitMs: number;
}

/**
 * The open spans of one SDK that blocks may delay, in a linked list: a `Set` that goes from none to one and back, request
 * after request, costs as much as all else that we do for a span.
 */
export class OpenSpans {
  #oldest: Owner | undefined;
  #newest: Owner | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(started: Span, parentContext: Context): void {
    const span = started as OwnedSpan;
    const parent = trace.getSpan(parentContext) as OwnedSpan | undefined;
    const outer = parent?.[OWNER];
    if (outer !== undefined && span.kind !== SpanKind.SERVER && span.kind !== SpanKind.CONSUMER) {
      span[OWNER] = outer;
      return;
    }
    if (span.name === SPAN_EVENT_LOOP_BLOCKED || span.name === SPAN_EVENT_LOOP_HANG) return;
    if (span[OWNER]?.span === span) return; // a processor before this one follows it
    const older = this.#newest;
    const startedAt = now();
    const owner: Owner = { span, outer, startedAt, waitMs: 0, linkCount: 0, openIn: this, older, newer: undefined };
    span[OWNER] = owner;
    if (older) older.newer = owner;
    else this.#oldest = owner;
    this.#newest = owner;
    this.#size++;
    if (this.#size > MAX_OPEN) this.#letGo(this.#oldest!);
  }

  /** Takes out a span that ends; returns its owner record when it is one that may have waited. */
  remove(ended: Span): Owner | undefined {
    const span = ended as OwnedSpan;
    const owner = span[OWNER];
    if (owner?.span !== span || owner.openIn !== this) return undefined;
    this.#letGo(owner);
    return owner;
  }

  /** Charges the block to all open spans that waited for it. */
  charge(delay: Delay): Toll {
    let victims = 0;
    let waitMs = 0;
    for (let owner = this.#oldest; owner; owner = owner.newer) {
      const charged = chargeOne(owner, delay);
      if (charged === 0) continue;
      victims++;
      waitMs += charged;
    }
    return { victims, waitMs };
  }

  #letGo(owner: Owner): void {
    const { older, newer } = owner;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    owner.openIn = undefined;
    owner.older = undefined;
    owner.newer = undefined;
    this.#size--;
  }
}

/** Charges a block to one span; returns the ms that it waited, 0 when it did not or when the block is its own. */
export function chargeOne(owner: Owner, { start, end, makers, spanContext }: Delay): number {
  const waitMs = end - Math.max(start, owner.startedAt);
  if (waitMs < MIN_WAIT_MS || makers.has(owner)) return 0;
  owner.waitMs += waitMs;
  owner.span.setAttribute(ATTR_BLOCKED_WAIT_TIME, owner.waitMs / 1000);
  if (spanContext && owner.linkCount < MAX_LINKS) {
    owner.linkCount++;
    owner.span.addLink({ context: spanContext });
  }
  return waitMs;
}

/** The spans that the code under this context works for. */
export function makersOf(context: Context): Set<Owner> {
  const makers = new Set<Owner>();
  const innermost = attempt(() => (trace.getSpan(context) as OwnedSpan | undefined)?.[OWNER], undefined);
  for (let owner = innermost; owner; owner = owner.outer) makers.add(owner);
  return makers;
}
