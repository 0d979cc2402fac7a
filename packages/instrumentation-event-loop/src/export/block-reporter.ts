import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import type { Block } from '../contract/model.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { waitsOf } from './block-waits.js';
import { GuardedHook } from './guarded-hook.js';
import type { OpenSpans } from './open-spans.js';
import { blockingContext, isSampled, parentageOf } from './parent.js';
import { SpanBudget } from './span-budget.js';
import { attributeDelayTo, blockingSpansOf, type Delay, type TrackedSpan } from './tracked-span.js';

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
    for (const spans of openSpans) {
      const total = spans.attributeDelay(pendingSpan.delay);
      pendingSpan.victims += total.victims;
      pendingSpan.waitMs += total.waitMs;
    }
    for (const { trackedSpan } of block.endings) attributeTo(trackedSpan as TrackedSpan, pendingSpan);
    if (pendingSpan.span) this.#finish(pendingSpan.span, pendingSpan, block);
  }

  /** Attributes the delay of a block that has ended, but is not reported yet, to a span that ends now. */
  attributeDelayEarly(
    trackedSpan: TrackedSpan,
    block: Block,
    tracer: Tracer,
    openSpans: Iterable<OpenSpans>,
  ): void {
    let pendingSpan = this.#pendingSpanOf(block);
    if (!pendingSpan) {
      // A span that has not waited does not make the block's span start.
      if (waitsOf(block.start, block.attribution.contexts, block.endings, openSpans).waitMs(trackedSpan) === 0) return;
      pendingSpan = this.#begin(block, tracer, openSpans);
      this.#pendingSpans = [...this.#pendingSpans.slice(1 - MAX_PENDING_SPANS), pendingSpan];
    }
    attributeTo(trackedSpan, pendingSpan);
  }

  #pendingSpanOf({ id }: Block): PendingSpan | undefined {
    return this.#pendingSpans.find(({ delay }) => delay.blockId === id);
  }

  #begin(block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): PendingSpan {
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    const waits = waitsOf(block.start, block.attribution.contexts, block.endings, openSpans);
    const span = isAdmitted ? startSpan(block, tracer) : undefined;
    const spanContext = span?.spanContext();
    const delay = {
      blockId: block.id,
      waits,
      blockingSpans: blockingSpansOf(blockingContext(block.attribution)),
      // A link to a span that the sampler drops would lead nowhere.
      spanContext: spanContext && isSampled(spanContext) ? spanContext : undefined,
    };
    return { delay, span, suppressedCount, victims: 0, waitMs: 0 };
  }

  #finish(span: Span, pendingSpan: PendingSpan, block: Block): void {
    const info = blockInfo(block, this.#options.captureStacks, pendingSpan.suppressedCount);
    span.setAttributes(blockAttributes(info));
    if (pendingSpan.victims > 0) {
      span.setAttribute(ATTR_BLOCKED_VICTIMS, pendingSpan.victims);
      span.setAttribute(ATTR_BLOCKED_VICTIM_WAIT_TIME, pendingSpan.waitMs / 1000);
    }
    if (block.hang) span.addLink({ context: { ...block.hang, traceFlags: 1 } });
    this.#hook.call(span, info);
    span.end(block.end);
  }
}

function startSpan(block: Block, tracer: Tracer): Span {
  const { context, isRoot, links } = parentageOf(block.attribution);
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

function attributeTo(trackedSpan: TrackedSpan, pendingSpan: PendingSpan): void {
  const waitMs = attributeDelayTo(trackedSpan, pendingSpan.delay);
  if (waitMs === 0) return;
  pendingSpan.victims++;
  pendingSpan.waitMs += waitMs;
}

/** Key of the span budget: one for each function that blocks; all blocks without a culprit share one. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
