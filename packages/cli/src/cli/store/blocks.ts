import { acceptBlock } from '../../model/accept/block.js';
import { definitionOf } from '../../model/stacks/definition.js';
import { endOf, overlapMs } from '../../model/time-range.js';
import type { Block } from '../../model/types.js';
import type { Change, Store } from './store.js';

/**
 * Number of a thread's last blocks that are compared with an arriving block. A hang report arrives during the block; the
 * block's own span arrives with a later export, when further blocks of the thread may have been reported already.
 */
const REMEMBERED_BLOCKS = 128;

/** Data from a clock that is farther ahead is refused: it would be the newest for as long. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Whether something that ended then is kept: it is neither too old nor from the future. */
export function isWithinRetention(store: Store, endMs: number, nowMs: number): boolean {
  return endMs >= nowMs - store.limits.retentionMs && endMs <= nowMs + MAX_AHEAD_MS;
}

/**
 * Stores the block and returns its id; undefined if it is no valid block. A block replaces its hang reports and keeps the id of one. Where there are several,
 * because the start was not certain while it lasted, the others are removed, and `change` says so.
 */
export function upsertBlock(
  store: Store,
  received: Block,
  change: Pick<Change, 'removedBlocks'>,
  nowMs = Date.now(),
): string | undefined {
  const reported = acceptBlock(received);
  if (!reported) {
    store.totals.notKept.invalid += 1;
    return undefined;
  }
  const block = { ...reported, ...definitionOf(reported) };
  const thread = threadOf(block);
  const recent = store.recentBlocks.get(thread) ?? [];
  const same = sameBlocks(store, recent, block);
  const earlier = store.blocks.get(block.id) ?? same[0];
  const id = earlier?.id ?? block.id;
  if (!earlier || block.ended || !earlier.ended) store.blocks.set(id, { ...block, id });
  if (!earlier) {
    store.totals.blocks += 1;
    store.arrivalsMs.set(id, nowMs);
    store.recentBlocks.set(thread, [...recent, id].slice(-REMEMBERED_BLOCKS));
    store.recentBlocks.touch(thread);
  }
  for (const other of same) if (block.ended && other.id !== id) removeBlock(store, other.id, change);
  return id;
}

/**
 * Whether the block is stored already as one that has ended, reported by another thread of the process. That is so where a
 * program has the instrumentation itself: a worker thread without an SDK hands its blocks to the main thread, which reports
 * them, too. The report that arrives first is kept, with the request that only one of them may know.
 */
export function isReportedAlready(store: Store, block: Block): boolean {
  const recent = store.recentBlocks.get(threadOf(block)) ?? [];
  for (const id of recent.toReversed()) {
    const known = store.blocks.get(id);
    if (!known?.ended || !block.ended || known.id === block.id || !overlap(known, block)) continue;
    if (known.request === undefined && block.request !== undefined) {
      store.blocks.set(id, { ...known, request: block.request });
    }
    return true;
  }
  return false;
}

function threadOf({ instance, threadId }: Block): string {
  return `${instance}\n${threadId}`;
}

function removeBlock(store: Store, id: string, { removedBlocks }: Pick<Change, 'removedBlocks'>): void {
  store.blocks.delete(id);
  store.arrivalsMs.delete(id);
  store.totals.blocks -= 1;
  removedBlocks.push(id);
}

/** The reports of the same block, last first. */
function sameBlocks(store: Store, ids: readonly string[], block: Block): Block[] {
  return ids.toReversed().flatMap((id) => {
    const candidate = store.blocks.get(id);
    return candidate && isSameBlock(candidate, block) ? [candidate] : [];
  });
}

/** A thread has one block at a time: two reports that overlap, one of them a hang report, are of the same block. */
function isSameBlock(a: Block, b: Block): boolean {
  return !(a.ended && b.ended) && overlap(a, b);
}

function overlap(a: Block, b: Block): boolean {
  const sharedMs = overlapMs(a.startMs, endOf(a), b.startMs, endOf(b));
  return sharedMs > Math.min(a.durationMs, b.durationMs) / 2;
}
