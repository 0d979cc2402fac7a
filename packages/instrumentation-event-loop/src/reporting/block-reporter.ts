import { diag, SpanKind, type Tracer } from '@opentelemetry/api';
import type { Block } from '../model.js';
import { SPAN_EVENT_LOOP_BLOCKED } from '../semconv.js';
import type { BlockHook } from '../types.js';
import { blockAttributes } from './attributes.js';
import { blockInfo } from './block-info.js';
import { SpanBudget } from './budget.js';
import { parentageOf } from './parent.js';

export interface BlockReporterOptions {
  readonly spansPerMinute: number;
  readonly captureStacks: boolean;
  readonly blockHook: BlockHook | undefined;
}

/** Tells blocks as back-dated `event-loop-blocked` spans, within the budget. */
export class BlockReporter {
  readonly #options: BlockReporterOptions;
  readonly #budget: SpanBudget;

  constructor(options: BlockReporterOptions) {
    this.#options = options;
    this.#budget = new SpanBudget(options.spansPerMinute);
  }

  report(block: Block, tracer: Tracer): void {
    const { captureStacks, blockHook } = this.#options;
    const { isAdmitted, suppressedCount } = this.#budget.ask(culpritKey(block), block.end);
    if (!isAdmitted) return;
    const info = blockInfo(block, captureStacks, suppressedCount);
    const { context, isRoot, links } = parentageOf(block.attribution.contexts);
    const span = tracer.startSpan(
      SPAN_EVENT_LOOP_BLOCKED,
      {
        kind: SpanKind.INTERNAL,
        attributes: blockAttributes(info),
        links,
        root: isRoot,
        // `performance.now()` values, both: the SDK corrects the drift of those between the clocks, and a wall clock that
        // jumped meanwhile changes nothing.
        startTime: block.start,
      },
      context,
    );
    try {
      blockHook?.(span, info);
    } catch (error) {
      diag.error('The blockHook has thrown; the span is sent as it is.', error);
    }
    span.end(block.end);
  }
}

/** One budget for each function that blocks; all blocks without one share theirs. */
function culpritKey({ attribution: { culprit } }: Block): string {
  return culprit ? `${culprit.functionName} ${culprit.fileName}:${culprit.functionLineNumber}` : '';
}
