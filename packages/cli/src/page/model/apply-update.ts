import type { PageState, PageUpdate } from '../../model/page.js';
import { threadKey } from '../../model/thread-key.js';

/**
 * Adds an update to the state: a block replaces the one with its id, lag points are appended, and what exceeds the
 * retention or the limit is evicted, as in the server's store.
 */
export function applyUpdate(state: PageState, update: PageUpdate, nowMs: number): PageState {
  const oldestMs = nowMs - (state.retentionMs ?? Infinity);
  const removed = new Set(update.removedBlocks);
  const blocks = merge(state.blocks, update.blocks, (block) => block.id).filter(
    (block) => block.startMs + block.durationMs >= oldestMs && !removed.has(block.id),
  );
  return {
    ...state,
    droppedBlocks: update.droppedBlocks,
    remarks: update.remarks,
    instances: merge(state.instances, update.instances, (instance) => instance.id),
    seen: merge(state.seen, update.seen, ({ instance }) => instance),
    blocks: blocks.slice(-state.maxBlocks),
    lag: [...state.lag, ...update.lag].filter((point) => point.endMs >= oldestMs),
    threads: merge(state.threads, update.threads, threadKey),
  };
}

function merge<T>(old: readonly T[], next: readonly T[], keyOf: (item: T) => string): readonly T[] {
  if (next.length === 0) return old;
  const byKey = new Map(old.map((item) => [keyOf(item), item]));
  for (const item of next) byKey.set(keyOf(item), item);
  return [...byKey.values()];
}
