import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { GuardedHook } from './guarded-hook.js';
import type { OpenSpans } from './open-spans.js';
import { culpritContext, parentageOf } from './parent.js';
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
  readonly start: number;
  readonly blockingSpans: Set<TrackedSpan>;
  readonly span: Span | undefined;
  readonly suppressedCount: number;
  victims: number;
  waitMs: number;
}

/**
 * Starts within this distance, ms, belong to the same block: a start is computed from clocks read at different times.
 */
const SAME_START_MS = 2;
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
    const pendingSpan = this.#pendingSpanAt(block.start) ?? this.#begin(block, tracer);
    this.#pendingSpans = this.#pendingSpans.filter((other) => other !== pendingSpan);
    const delay = delayOf(pendingSpan, block.end);
    for (const spans of openSpans) {
      const total = spans.attributeDelay(delay);
      pendingSpan.victims += total.victims;
      pendingSpan.waitMs += total.waitMs;
    }
    if (pendingSpan.span) this.#finish(pendingSpan.span, pendingSpan, block);
  }

  /**
   * Attributes the delay of a block that is not judged yet to a span that ends now. `provisional` returns the block as
   * known so far.
   */
  attributeDelayEarly(trackedSpan: TrackedSpan, period: Interval, provisional: () => Block, tracer: Tracer): void {
    if (period.end - Math.max(period.start, trackedSpan.startedAt) < 1) return;
    let pendingSpan = this.#pendingSpanAt(period.start);
    if (!pendingSpan) {
      pendingSpan = this.#begin(provisional(), tracer);
      this.#pendingSpans = [...this.#pendingSpans.slice(1 - MAX_PENDING_SPANS), pendingSpan];
    }
    const waitMs = attributeDelayTo(trackedSpan, delayOf(pendingSpan, period.end));
    if (waitMs === 0) return;
    pendingSpan.victims++;
    pendingSpan.waitMs += waitMs;
  }

  #pendingSpanAt(start: number): PendingSpan | undefined {
    return this.#pendingSpans.find((pendingSpan) => Math.abs(pendingSpan.start - start) < SAME_START_MS);
  }

  #begin(block: Block, tracer: Tracer): PendingSpan {
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    const { contexts } = block.attribution;
    return {
      start: block.start,
      blockingSpans: blockingSpansOf(culpritContext(contexts)),
      span: isAdmitted ? startSpan(block, tracer) : undefined,
      suppressedCount,
      victims: 0,
      waitMs: 0,
    };
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
  const { context, isRoot, links } = parentageOf(block.attribution.contexts);
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

function delayOf({ start, blockingSpans, span }: PendingSpan, end: number): Delay {
  return { start, end, blockingSpans, spanContext: span?.spanContext() };
}

/** Key of the span budget: one for each function that blocks; all blocks without a culprit share one. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
