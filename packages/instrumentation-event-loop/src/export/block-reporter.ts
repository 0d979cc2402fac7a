import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import type { Block } from '../contract/model.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { waitsOf } from './block-waits.js';
import { GuardedHook } from './guarded-hook.js';
import type { HeldSpans } from './held-spans.js';
import type { DelayTotal, OpenSpans } from './open-spans.js';
import { blockingContext, isSampled, parentageOf, type Parentage } from './parent.js';
import { SpanBudget } from './span-budget.js';
import { attributeDelayTo, blockingSpansOf, type Delay, type TrackedSpan } from './tracked-span.js';

export interface BlockReporterOptions {
  readonly spansPerMinute: number;
  readonly captureStacks: boolean;
  readonly blockHook: BlockHook | undefined;
}

/** Reports blocks as back-dated `event-loop-blocked` spans within the budget, and attributes delays to open spans. */
export class BlockReporter {
  readonly #options: BlockReporterOptions;
  readonly #budget: SpanBudget;
  readonly #hook: GuardedHook;
  readonly #heldSpans: HeldSpans;

  constructor(options: BlockReporterOptions, heldSpans: HeldSpans) {
    this.#options = options;
    this.#heldSpans = heldSpans;
    this.#budget = new SpanBudget(options.spansPerMinute);
    this.#hook = new GuardedHook(options.blockHook);
  }

  report(block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): void {
    const { attribution } = block;
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    const span = isAdmitted ? startSpan(block, parentageOf(attribution), tracer) : undefined;
    const spanContext = span?.spanContext();
    const total = attributeDelay(block, openSpans, {
      blockId: block.id,
      waits: waitsOf(block.start, attribution.contexts, block.endings, openSpans),
      blockingSpans: blockingSpansOf(blockingContext(attribution)),
      // A link to a span that the sampler drops would lead nowhere.
      spanContext: spanContext && isSampled(spanContext) ? spanContext : undefined,
    });
    if (span) this.#finish(span, block, total, suppressedCount);
  }

  #finish(span: Span, block: Block, { victims, waitMs }: DelayTotal, suppressedCount: number): void {
    const info = blockInfo(block, this.#options.captureStacks, suppressedCount);
    span.setAttributes(blockAttributes(info));
    if (victims > 0) {
      span.setAttribute(ATTR_BLOCKED_VICTIMS, victims);
      span.setAttribute(ATTR_BLOCKED_VICTIM_WAIT_TIME, waitMs / 1000);
    }
    if (block.hang) span.addLink({ context: { ...block.hang, traceFlags: 1 } });
    this.#hook.call(span, info);
    this.#heldSpans.end(span, block.end);
  }
}

/** Attributes the delay to the open spans, and to those that have ended since the block began. */
function attributeDelay({ endings }: Block, openSpans: Iterable<OpenSpans>, delay: Delay): DelayTotal {
  let victims = 0;
  let waitMs = 0;
  for (const spans of openSpans) {
    const total = spans.attributeDelay(delay);
    victims += total.victims;
    waitMs += total.waitMs;
  }
  for (const { trackedSpan } of endings) {
    const spanWaitMs = attributeDelayTo(trackedSpan as TrackedSpan, delay);
    if (spanWaitMs === 0) continue;
    victims++;
    waitMs += spanWaitMs;
  }
  return { victims, waitMs };
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

/** Key of the span budget: one for each function that blocks; all blocks without a culprit share one. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
