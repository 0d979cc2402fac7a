import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import type { Block, BlockSoFar } from '../contract/model.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { waitsOf, type BlockWaits } from './block-waits.js';
import { GuardedHook } from './guarded-hook.js';
import type { OpenSpans } from './open-spans.js';
import { blockingContext, isSampled, linksOf, parentageOf, type Parentage } from './parent.js';
import { SpanBudget } from './span-budget.js';
import {
  attributeDelayTo,
  blockingSpansOf,
  linkTo,
  MIN_WAIT_MS,
  setWaitSoFar,
  type Delay,
  type TrackedSpan,
} from './tracked-span.js';

export interface BlockReporterOptions {
  readonly spansPerMinute: number;
  readonly captureStacks: boolean;
  readonly blockHook: BlockHook | undefined;
}

/**
 * The span of a block before its report. It starts before the judgement when a span that the block delayed ends first.
 */
interface PendingSpan {
  readonly delay: Delay;
  readonly span: Span | undefined;
  /** The spans that it has as its parent and links, by id. */
  readonly related: Set<string>;
  readonly suppressedCount: number;
  victims: number;
  waitMs: number;
}

/** Pending spans stay when their busy period is judged not to be a block. Above this number, the oldest are evicted. */
const MAX_PENDING_SPANS = 16;

/** Reports blocks as back-dated `event-loop-blocked` spans within the budget, and attributes delays to open spans. */
export class BlockReporter {
  readonly #options: BlockReporterOptions;
  readonly #budget: SpanBudget;
  readonly #hook: GuardedHook;
  #pendingSpans: PendingSpan[] = [];

  constructor(options: BlockReporterOptions) {
    this.#options = options;
    this.#budget = new SpanBudget(options.spansPerMinute);
    this.#hook = new GuardedHook(options.blockHook);
  }

  report(block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): void {
    const pendingSpan = this.#pendingSpanOf(block) ?? this.#begin(block, tracer, openSpans);
    this.#pendingSpans = this.#pendingSpans.filter((other) => other !== pendingSpan);
    const waits = waitsOf(block.start, block.attribution.contexts, block.endings, openSpans);
    for (const spans of openSpans) {
      const total = spans.attributeDelay({ ...pendingSpan.delay, waits });
      pendingSpan.victims += total.victims;
      pendingSpan.waitMs += total.waitMs;
    }
    for (const { trackedSpan } of block.endings) attributeTo(trackedSpan as TrackedSpan, pendingSpan, waits);
    if (pendingSpan.span) this.#finish(pendingSpan.span, pendingSpan, block);
  }

  /** Attributes the delay of a block that has ended, but is not reported yet, to a span that ends now. */
  attributeDelayEarly(trackedSpan: TrackedSpan, block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): void {
    const waits = waitsOf(block.start, block.attribution.contexts, block.endings, openSpans);
    let pendingSpan = this.#pendingSpanOf(block);
    if (!pendingSpan) {
      // A span that has not waited does not make the block's span start.
      if (waits.waitMs(trackedSpan) < MIN_WAIT_MS) return;
      pendingSpan = this.#begin(block, tracer, openSpans);
      this.#keep(pendingSpan);
    }
    attributeTo(trackedSpan, pendingSpan, waits);
  }

  /**
   * Attributes what is known of the delay of a block that still lasts to a span that ends now. The link follows with the
   * block's report unless the block is certain to be of one request.
   */
  attributeDelaySoFar(
    trackedSpan: TrackedSpan,
    { id, start, contexts, endings, errorMs, certain }: BlockSoFar,
    tracer: Tracer,
    openSpans: Iterable<OpenSpans>,
  ): void {
    const hasWaited = setWaitSoFar(trackedSpan, id, waitsOf(start, contexts, endings, openSpans), errorMs);
    if (!hasWaited || !certain) return;
    let pendingSpan = this.#pendingSpanOf({ id });
    if (!pendingSpan) {
      pendingSpan = this.#begin(certain(), tracer, openSpans);
      this.#keep(pendingSpan);
    }
    linkTo(trackedSpan, pendingSpan.delay);
  }

  #keep(pendingSpan: PendingSpan): void {
    this.#pendingSpans = [...this.#pendingSpans.slice(1 - MAX_PENDING_SPANS), pendingSpan];
  }

  #pendingSpanOf({ id }: { readonly id: object }): PendingSpan | undefined {
    return this.#pendingSpans.find(({ delay }) => delay.blockId === id);
  }

  #begin(block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): PendingSpan {
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    const waits = waitsOf(block.start, block.attribution.contexts, block.endings, openSpans);
    const parentage = parentageOf(block.attribution);
    const span = isAdmitted ? startSpan(block, parentage, tracer) : undefined;
    const spanContext = span?.spanContext();
    const delay = {
      blockId: block.id,
      waits,
      blockingSpans: blockingSpansOf(blockingContext(block.attribution)),
      // A link to a span that the sampler drops would lead nowhere.
      spanContext: spanContext && isSampled(spanContext) ? spanContext : undefined,
    };
    const related = new Set(parentage.links.map(({ context: { spanId } }) => spanId));
    if (parentage.parent) related.add(parentage.parent.spanId);
    return { delay, span, related, suppressedCount, victims: 0, waitMs: 0 };
  }

  #finish(span: Span, pendingSpan: PendingSpan, block: Block): void {
    const info = blockInfo(block, this.#options.captureStacks, pendingSpan.suppressedCount);
    span.setAttributes(blockAttributes(info));
    if (pendingSpan.victims > 0) {
      span.setAttribute(ATTR_BLOCKED_VICTIMS, pendingSpan.victims);
      span.setAttribute(ATTR_BLOCKED_VICTIM_WAIT_TIME, pendingSpan.waitMs / 1000);
    }
    // An early span does not know the requests that ran after its start.
    for (const link of linksOf(block.attribution.contexts)) {
      if (!pendingSpan.related.has(link.context.spanId)) span.addLink(link);
    }
    if (block.hang) span.addLink({ context: { ...block.hang, traceFlags: 1 } });
    this.#hook.call(span, info);
    span.end(block.end);
  }
}

function startSpan(block: Block, { context, isRoot, links }: Parentage, tracer: Tracer): Span {
  return tracer.startSpan(
    SPAN_EVENT_LOOP_BLOCKED,
    {
      kind: SpanKind.INTERNAL,
      links,
      root: isRoot,
      // Start and end are `performance.now()` values: for these the SDK corrects the drift between the clocks, and a
      // jump of the wall clock does not change the duration.
      startTime: block.start,
    },
    context,
  );
}

/** Attributes the delay with the waits as now known: those of the pending span are as old as the span. */
function attributeTo(trackedSpan: TrackedSpan, pendingSpan: PendingSpan, waits: BlockWaits): void {
  const waitMs = attributeDelayTo(trackedSpan, { ...pendingSpan.delay, waits });
  if (waitMs === 0) return;
  pendingSpan.victims++;
  pendingSpan.waitMs += waitMs;
}

/** Key of the span budget: one for each function that blocks; all blocks without a culprit share one. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
