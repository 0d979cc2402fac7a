import { groupBy } from '../collections.js';
import { isGuess } from '../text/guess.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { Block, Cause, Culprit } from '../types.js';

const MAX_REQUESTS = 5;

/**
 * Blocks with the same key are grouped: same function and file or, without a culprit, same cause and async resource. The
 * place at which it is defined distinguishes one anonymous function from another.
 */
export function culpritKey(block: Block): string {
  const name = culpritName(block);
  const definition = definitionText(block);
  return definition === '' ? name : `${name}\n${definition}`;
}

/** `8`, or `1:1782` in minified code; empty for a culprit with a name, and where it is not known. */
export function definitionText({ definedAt, definedAtColumn }: Pick<Block, 'definedAt' | 'definedAtColumn'>): string {
  return [definedAt ?? [], definedAtColumn ?? []].flat().join(':');
}

/** The same without the line: functions move within their file from version to version. */
export function culpritName({ culprit, cause, asyncResource }: Block): string {
  return culprit ? `${culprit.functionName}\n${culprit.filePath}` : `\n${cause}\n${asyncResource ?? ''}`;
}

/**
 * The culprits of the blocks, most blocked time first. Of a block that reaches beyond the range, only the part within it
 * counts.
 */
export function rankCulprits(blocks: Iterable<Block>, range?: TimeRange): Culprit[] {
  return [...groupBy(blocks, culpritKey)]
    .map(([key, group]) => summariseCulprit(key, group, range))
    .sort((a, b) => b.totalMs - a.totalMs);
}

/** How many blocks there were, with those that a process has counted without a report of their own. */
export function countBlocks(blocks: Iterable<Pick<Block, 'suppressedCount'>>): number {
  let count = 0;
  for (const { suppressedCount } of blocks) count += 1 + suppressedCount;
  return count;
}

/** A culprit's blocks as one: what `cpu-wait.ts` takes. */
export function timesOf({ cause, totalMs, runQueueMs }: Culprit): Pick<Block, 'cause' | 'durationMs' | 'runQueueMs'> {
  return { cause, durationMs: totalMs, ...(runQueueMs !== undefined && { runQueueMs }) };
}

/** One culprit of blocks, one or more; of a block that reaches beyond the range, only the part within it counts. */
export function summariseCulprit(key: string, blocks: readonly Block[], range?: TimeRange): Culprit {
  const msOf = (block: Block): number => durationWithin(block, range);
  const longest = blocks.reduce((a, b) => (b.durationMs > a.durationMs ? b : a));
  const totalMs = sum(blocks, msOf);
  const measured = blocks.filter(({ runQueueMs }) => runQueueMs !== undefined);
  return {
    key,
    ...(longest.culprit && { location: longest.culprit }),
    count: blocks.length,
    suppressedCount: sum(blocks, (block) => block.suppressedCount),
    totalMs,
    longestMs: blocks.reduce((ms, block) => Math.max(ms, msOf(block)), 0),
    lastMs: blocks.reduce((last, block) => Math.max(last, block.startMs), 0),
    cause: mainCause(blocks, msOf),
    guess: sum(blocks.filter(isGuess), msOf) > totalMs / 2,
    ...(measured.length > 0 && { runQueueMs: sum(measured, (block) => runQueueShare(block) * msOf(block)) }),
    requests: frequentNames(blocks.flatMap((block) => block.request ?? [])).slice(0, MAX_REQUESTS),
  };
}

/** The share of its time that a block waited for CPU. */
function runQueueShare({ runQueueMs = 0, durationMs }: Block): number {
  return durationMs > 0 ? Math.min(1, runQueueMs / durationMs) : 0;
}

function mainCause(blocks: readonly Block[], msOf: (block: Block) => number): Cause {
  const time = new Map<Cause, number>();
  for (const block of blocks) time.set(block.cause, (time.get(block.cause) ?? 0) + msOf(block));
  return [...time].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

function frequentNames(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
