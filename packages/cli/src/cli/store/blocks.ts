import type { Block } from '../../model/types.js';
import type { Store } from './store.js';

/**
 * Number of a thread's last blocks that are compared with an arriving block. A hang report arrives during the block; the
 * block's own span arrives with a later export, when further blocks of the thread may have been reported already.
 */
const REMEMBERED_BLOCKS = 16;

/** Stores the block and returns its id. A block replaces its hang report and keeps the report's id. */
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

/** A thread has one block at a time: two reports that overlap, one of them a hang report, are of the same block. */
function isSameBlock(a: Block, b: Block): boolean {
  if (a.ended && b.ended) return false;
  const sharedMs = Math.min(a.startMs + a.durationMs, b.startMs + b.durationMs) - Math.max(a.startMs, b.startMs);
  return sharedMs > Math.min(a.durationMs, b.durationMs) / 2;
}
