import type { JSX } from 'preact';

import { countBlocks } from '../../model/blocks/culprits.js';
import { summariseLag } from '../../model/delays/histogram.js';
import type { BlockRow } from '../../model/live/page.js';
import { formatMs, formatShare } from '../../model/text/format.js';
import { functionOfBlock } from '../../model/text/guess.js';
import { durationWithin, type TimeRange } from '../../model/time-range.js';
import type { LagPoint } from '../../model/types.js';
import { countThreads } from '../model/count-threads.js';
import { Stat } from '../parts/facts/stat.js';

interface StatsProps {
  blocks: readonly BlockRow[];
  lag: readonly LagPoint[];
  elapsedMs: number;
  /** The selected range: of a block that reaches beyond it, only the part within it counts. */
  range: TimeRange | undefined;
}

/** The four figures at the top of the page. */
export function Stats({ blocks, lag, elapsedMs, range }: StatsProps): JSX.Element {
  const msOf = (block: BlockRow): number => durationWithin(block, range);
  const totalMs = blocks.reduce((total, block) => total + msOf(block), 0);
  const longest = blocks.reduce<BlockRow | undefined>(
    (best, block) => (best && msOf(best) >= msOf(block) ? best : block),
    undefined,
  );
  const count = countBlocks(blocks);
  const suppressed = count - blocks.length;
  const summary = summariseLag(lag);
  return (
    <dl class="stats">
      <Stat
        name="Blocks"
        value={String(count)}
        note={suppressed > 0 ? `${suppressed} of them counted only` : 'of the event loop'}
      />
      <Stat
        name="Time blocked"
        value={formatMs(totalMs)}
        note={partOfTime(totalMs, elapsedMs, countThreads(blocks, lag))}
      />
      <Stat
        name="Longest block"
        value={longest ? formatMs(msOf(longest)) : '–'}
        note={longest ? longestNote(longest, msOf(longest)) : ''}
      />
      <Stat
        name="Lag, 99th percentile"
        value={summary ? formatMs(summary.p99Ms) : '–'}
        note={summary ? `median ${formatMs(summary.p50Ms)}, maximum ${formatMs(summary.maxMs)}` : 'not measured yet'}
      />
    </dl>
  );
}

/** `12 % of 43.5 s`. Threads block independently of each other: several have more time than has passed. */
function partOfTime(blockedMs: number, elapsedMs: number, threads: number): string {
  if (elapsedMs <= 0) return '';
  const part = Math.min(1, blockedMs / (elapsedMs * Math.max(1, threads)));
  return `${formatShare(part)} of ${formatMs(elapsedMs)}${threads > 1 ? ` in ${threads} threads` : ''}`;
}

function longestNote(block: BlockRow, shownMs: number): string {
  const name = functionOfBlock(block) ?? '';
  const isCut = block.durationMs - shownMs >= 1;
  return isCut
    ? [name, `${formatMs(block.durationMs)} with its part outside the range`].filter(Boolean).join(', ')
    : name;
}
