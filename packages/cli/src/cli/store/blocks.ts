import type { Block } from '../../model/types.js';
import type { Store } from './store.js';

/**
 * Blocks of a thread among which the one is looked for that a report tells of. A hang report comes at once, the block's
 * own span with the next export, and that only after the blocks that follow at its heels.
 */
const REMEMBERED_BLOCKS = 16;

/** Stores the block, in the place of the hang report of the same block, and returns the id it goes by. */
export function upsertBlock(store: Store, block: Block): string {
  const thread = `${block.instance}\n${block.threadId}`;
  const recent = store.recentBlocks.get(thread) ?? [];
  const earlier = store.blocks.get(block.id) ?? findSameBlock(store, recent, block);
  const id = earlier?.id ?? block.id;
  if (!earlier || block.ended || !earlier.ended) store.blocks.set(id, { ...block, id });
  if (!earlier) {
    store.totals.blocks += 1;
    store.recentBlocks.set(thread, [...recent, id].slice(-REMEMBERED_BLOCKS));
  }
  return id;
}

function findSameBlock(store: Store, ids: readonly string[], block: Block): Block | undefined {
  for (const id of ids.toReversed()) {
    const candidate = store.blocks.get(id);
    if (candidate && isSameBlock(candidate, block)) return candidate;
  }
  return undefined;
}

/** A thread has one block at a time: of two that overlap, at least one a hang report, both tell of the same one. */
function isSameBlock(a: Block, b: Block): boolean {
  if (a.ended && b.ended) return false;
  const sharedMs = Math.min(a.startMs + a.durationMs, b.startMs + b.durationMs) - Math.max(a.startMs, b.startMs);
  return sharedMs > Math.min(a.durationMs, b.durationMs) / 2;
}
