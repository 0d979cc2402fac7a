import type { Block } from '../model/types.js';
import type { Store } from './store.js';

/** Stores the block, in the place of the hang report of the same block, and returns the id it goes by. */
export function upsertBlock(store: Store, block: Block): string {
  const thread = `${block.instance}\n${block.threadId}`;
  const last = store.blocks.get(block.id) ?? store.blocks.get(store.lastBlocks.get(thread) ?? '');
  const earlier = last && isSameBlock(last, block) ? last : undefined;
  const id = earlier?.id ?? block.id;
  if (!earlier) store.totals.blocks += 1;
  if (!earlier || block.ended || !earlier.ended) store.blocks.set(id, { ...block, id });
  store.lastBlocks.set(thread, id);
  return id;
}

/** A thread has one block at a time: of two that overlap, at least one a hang report, both tell of the same one. */
function isSameBlock(a: Block, b: Block): boolean {
  if (a.id === b.id) return true;
  if (a.ended && b.ended) return false;
  const sharedMs = Math.min(a.startMs + a.durationMs, b.startMs + b.durationMs) - Math.max(a.startMs, b.startMs);
  return sharedMs > Math.min(a.durationMs, b.durationMs) / 2;
}
