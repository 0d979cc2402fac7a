import { groupBy } from './group-by.js';
import type { Block, Cause, Culprit } from './types.js';

const MAX_REQUESTS = 5;

/** Blocks with the same key are grouped: same function and file or, without a culprit, same cause and async resource. */
export function culpritKey(block: Block): string {
  const { culprit } = block;
  return culprit ? `${culprit.functionName}\n${culprit.filePath}` : `\n${block.cause}\n${block.asyncResource ?? ''}`;
}

/** The culprits of the blocks, most blocked time first. */
export function rankCulprits(blocks: Iterable<Block>): Culprit[] {
  return [...groupBy(blocks, culpritKey)]
    .map(([key, group]) => summarise(key, group))
    .sort((a, b) => b.totalMs - a.totalMs);
}

function summarise(key: string, blocks: readonly Block[]): Culprit {
  const longest = blocks.reduce((a, b) => (b.durationMs > a.durationMs ? b : a));
  return {
    key,
    ...(longest.culprit && { location: longest.culprit }),
    count: blocks.length,
    suppressedCount: sum(blocks, (block) => block.suppressedCount),
    totalMs: sum(blocks, (block) => block.durationMs),
    longestMs: longest.durationMs,
    lastMs: blocks.reduce((last, block) => Math.max(last, block.startMs), 0),
    cause: mainCause(blocks),
    requests: frequentNames(blocks.flatMap((block) => block.request ?? [])).slice(0, MAX_REQUESTS),
  };
}

function mainCause(blocks: readonly Block[]): Cause {
  const time = new Map<Cause, number>();
  for (const block of blocks) time.set(block.cause, (time.get(block.cause) ?? 0) + block.durationMs);
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
