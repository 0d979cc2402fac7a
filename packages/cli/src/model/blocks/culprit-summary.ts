import { groupBy } from '../collections.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { Block, Cause, Instance } from '../types.js';

/** Blocks that have something in common: a cause, a request, a version. */
export interface Part<K = string> {
  readonly name: K;
  /** With those of which only the number is known. */
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
  /** Time that they waited for CPU; absent if it is unknown for all of them. */
  readonly runQueueMs?: number;
  /** Start of the first, epoch, ms. */
  readonly firstMs: number;
  /** Start of the last, epoch, ms. */
  readonly lastMs: number;
}

/** How the blocks of a culprit divide, each list with most blocked time first. */
export interface CulpritSummary {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly causes: readonly Part<Cause>[];
  /** Requests in which it blocked, or else the type of the asynchronous resource. */
  readonly requests: readonly Part[];
  /** `service version`, or the service alone where its version is unknown. */
  readonly versions: readonly Part[];
}

/** Summary of a culprit's blocks, one or more; of a block that reaches beyond the range, only the part within it counts. */
export function summariseBlocks(
  blocks: readonly Block[],
  instances: ReadonlyMap<string, Instance>,
  range?: TimeRange,
): CulpritSummary {
  const partsBy = <K>(nameOf: (block: Block) => K): Part<K>[] =>
    [...groupBy(blocks, nameOf)]
      .map(([name, group]) => partOf(name, group, range))
      .sort((a, b) => b.totalMs - a.totalMs);
  const whole = partOf('', blocks, range);
  return {
    firstMs: whole.firstMs,
    lastMs: whole.lastMs,
    causes: partsBy(({ cause }) => cause),
    requests: partsBy(({ request }) => request ?? 'unknown'),
    versions: partsBy((block) => versionOf(instances.get(block.instance))),
  };
}

function versionOf(instance: Instance | undefined): string {
  return [instance?.service ?? 'unknown', instance?.version].filter(Boolean).join(' ');
}

function partOf<K>(name: K, blocks: readonly Block[], range: TimeRange | undefined): Part<K> {
  const [totals, waits] = blocks.reduce(
    ([ms, waitMs], block): [number, number] => {
      const ownMs = durationWithin(block, range);
      const wait = block.durationMs > 0 ? Math.min(1, (block.runQueueMs ?? 0) / block.durationMs) * ownMs : 0;
      return [ms + ownMs, waitMs + wait];
    },
    [0, 0],
  );
  const isMeasured = blocks.some(({ runQueueMs }) => runQueueMs !== undefined);
  return {
    name,
    count: blocks.reduce((count, { suppressedCount }) => count + 1 + suppressedCount, 0),
    totalMs: totals,
    longestMs: blocks.reduce((longest, block) => Math.max(longest, durationWithin(block, range)), 0),
    ...(isMeasured && { runQueueMs: waits }),
    firstMs: blocks.reduce((first, { startMs }) => Math.min(first, startMs), Infinity),
    lastMs: blocks.reduce((last, { startMs }) => Math.max(last, startMs), -Infinity),
  };
}
