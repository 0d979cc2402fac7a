import type { PageState, PageUpdate } from '../../model/live/page.js';
import { threadKey } from '../../model/thread-key.js';

/*
 * The server evicts processes, threads and points of the lag by its own limits, and does not say which. A page that stays
 * open for days keeps at most so many.
 */
const MAX_INSTANCES = 1_000;
const MAX_THREADS = 4_000;
const MAX_LAG_POINTS = 200_000;

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
    ...(update.notKept && { notKept: update.notKept }),
    remarks: update.remarks,
    instances: merge(state.instances, update.instances, (instance) => instance.id).slice(-MAX_INSTANCES),
    seen: merge(state.seen, update.seen, ({ instance }) => instance).slice(-MAX_INSTANCES),
    blocks: blocks.slice(-state.maxBlocks),
    lag: [...state.lag, ...update.lag].filter((point) => point.endMs >= oldestMs).slice(-MAX_LAG_POINTS),
    threads: merge(state.threads, update.threads, threadKey).slice(-MAX_THREADS),
  };
}

function merge<T>(old: readonly T[], next: readonly T[], keyOf: (item: T) => string): readonly T[] {
  if (next.length === 0) return old;
  const byKey = new Map(old.map((item) => [keyOf(item), item]));
  for (const item of next) byKey.set(keyOf(item), item);
  return [...byKey.values()];
}
