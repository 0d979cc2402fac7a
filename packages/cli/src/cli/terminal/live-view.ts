import type { Block } from '../../model/types.js';
import { blockLines, type EndedFirst, type LineStyle } from './block-line.js';
import { summaryLines, type SummaryInput } from './summary.js';

export interface LiveViewOptions {
  readonly write: (line: string) => void;
  readonly style: () => LineStyle;
  /** Service or process of the block; undefined if there is only one. */
  readonly sourceOf: (block: Block) => string | undefined;
  /** True while the name of the block's request may still arrive. */
  readonly awaitsRequest?: (block: Block) => boolean;
  /** What has ended before the block did, of one that has not ended. */
  readonly endedFirst?: (block: Block) => EndedFirst | undefined;
  readonly now?: () => number;
}

/** The output of `run` and `serve --print`: a line for each block, and a summary at the end. */
export interface LiveView {
  onBlocks(blocks: readonly Block[]): void;
  /** Prints blocks that have waited long enough for the name of their request; with `all`, every block. */
  flush(all?: boolean): void;
  summary(input: SummaryInput): void;
}

/** The span of a request is exported after the block in it, usually with the next batch or the one after. */
const REQUEST_GRACE_MS = 2_500;
/** Number of printed blocks that are remembered: an update of an older block would be printed again. */
const MAX_REMEMBERED = 20_000;

export function createLiveView(options: LiveViewOptions): LiveView {
  const { write, style, sourceOf, awaitsRequest = () => false, endedFirst = () => undefined, now = Date.now } = options;
  const waiting = new Map<string, { block: Block; sinceMs: number }>();
  /** Duration with which a block was last printed; infinite if it had ended. */
  const printedMs = new Map<string, number>();

  function offer(block: Block): void {
    const sinceMs = waiting.get(block.id)?.sinceMs ?? now();
    waiting.delete(block.id);
    const lastMs = printedMs.get(block.id) ?? -1;
    // The block can be shorter than the last report of its hang, which contains what is excluded from it in the end.
    if (block.ended ? lastMs === Infinity : block.durationMs <= lastMs) return;
    // During a hang its request cannot end: waiting for the name would be in vain.
    const wait = block.ended && block.request === undefined && awaitsRequest(block);
    if (wait) waiting.set(block.id, { block, sinceMs });
    else print(block);
  }

  function print(block: Block): void {
    printedMs.delete(block.id);
    printedMs.set(block.id, block.ended ? Infinity : block.durationMs);
    const oldest = printedMs.keys().next();
    if (printedMs.size > MAX_REMEMBERED && !oldest.done) printedMs.delete(oldest.value);
    blockLines(block, sourceOf(block), style(), block.ended ? undefined : endedFirst(block)).forEach(write);
  }

  function flush(all = false): void {
    for (const [id, { block, sinceMs }] of waiting) {
      if (!all && now() - sinceMs < REQUEST_GRACE_MS) continue;
      waiting.delete(id);
      print(block);
    }
  }

  return {
    onBlocks(blocks) {
      blocks.forEach(offer);
    },
    flush,
    summary(input) {
      flush(true);
      summaryLines(input, style()).forEach(write);
    },
  };
}
