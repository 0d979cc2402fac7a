import { SpanKind, type Span, type Tracer } from '@opentelemetry/api';
import type { Block } from '../contract/model.js';
import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './block-attributes.js';
import { blockInfo } from './block-info.js';
import { SpanBudget } from './span-budget.js';
import { GuardedHook } from './guarded-hook.js';
import { culpritContext, parentageOf } from './parent.js';
import { chargeOne, makersOf, type Delay, type OpenSpans, type Owner } from './open-spans.js';

export interface BlockReporterOptions {
  readonly spansPerMinute: number;
  readonly captureStacks: boolean;
  readonly blockHook: BlockHook | undefined;
}

/** A block whose span was begun before its verdict, because one who waited for it ended first. */
interface Draft {
  readonly start: number;
  readonly makers: Set<Owner>;
  readonly span: Span | undefined;
  readonly suppressedCount: number;
  victims: number;
  waitMs: number;
}

/** The same block, seen earlier: its start is computed from clocks read at different moments. */
const SAME_START_MS = 2;
/** Drafts of runs that turned out to be no blocks are dropped after so many. */
const MAX_DRAFTS = 16;

/** Tells blocks as back-dated `event-loop-blocked` spans, within the budget, and charges them to who waited. */
export class BlockReporter {
  readonly #options: BlockReporterOptions;
  readonly #budget: SpanBudget;
  readonly #hook: GuardedHook;
  #drafts: Draft[] = [];

  constructor(options: BlockReporterOptions) {
    this.#options = options;
    this.#budget = new SpanBudget(options.spansPerMinute);
    this.#hook = new GuardedHook(options.blockHook);
  }

  report(block: Block, tracer: Tracer, openSpans: Iterable<OpenSpans>): void {
    const draft = this.#draftOf(block.start) ?? this.#begin(block, tracer);
    this.#drafts = this.#drafts.filter((other) => other !== draft);
    const delay = delayOf(draft, block.end);
    for (const spans of openSpans) {
      const toll = spans.charge(delay);
      draft.victims += toll.victims;
      draft.waitMs += toll.waitMs;
    }
    if (draft.span) this.#finish(draft.span, draft, block);
  }

  /** A span ends before the verdict on a block that it waited for. `provisional` tells what is known of the block. */
  chargeEarly(
    owner: Owner,
    run: { readonly start: number; readonly end: number },
    provisional: () => Block,
    tracer: Tracer,
  ): void {
    if (run.end - Math.max(run.start, owner.startedAt) < 1) return;
    let draft = this.#draftOf(run.start);
    if (!draft) {
      draft = this.#begin(provisional(), tracer);
      this.#drafts = [...this.#drafts.slice(1 - MAX_DRAFTS), draft];
    }
    const waitMs = chargeOne(owner, delayOf(draft, run.end));
    if (waitMs === 0) return;
    draft.victims++;
    draft.waitMs += waitMs;
  }

  #draftOf(start: number): Draft | undefined {
    return this.#drafts.find((draft) => Math.abs(draft.start - start) < SAME_START_MS);
  }

  #begin(block: Block, tracer: Tracer): Draft {
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    const { contexts } = block.attribution;
    return {
      start: block.start,
      makers: makersOf(culpritContext(contexts)),
      span: isAdmitted ? startSpan(block, tracer) : undefined,
      suppressedCount,
      victims: 0,
      waitMs: 0,
    };
  }

  #finish(span: Span, draft: Draft, block: Block): void {
    const info = blockInfo(block, this.#options.captureStacks, draft.suppressedCount);
    span.setAttributes(blockAttributes(info));
    if (draft.victims > 0) {
      span.setAttribute(ATTR_BLOCKED_VICTIMS, draft.victims);
      span.setAttribute(ATTR_BLOCKED_VICTIM_WAIT_TIME, draft.waitMs / 1000);
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
      // `performance.now()` values, start and end: the SDK corrects the drift of those between the clocks, and a wall
      // clock that jumped meanwhile changes nothing.
      startTime: block.start,
    },
    context,
  );
}

function delayOf({ start, makers, span }: Draft, end: number): Delay {
  return { start, end, makers, spanContext: span?.spanContext() };
}

/** One budget for each function that blocks; all blocks without one share theirs. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
