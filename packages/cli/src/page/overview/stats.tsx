import type { JSX } from 'preact';

import { formatMs, formatShare } from '../../model/format.js';
import { summariseLag } from '../../model/histogram.js';
import type { BlockRow } from '../../model/page.js';
import type { LagPoint } from '../../model/types.js';

interface StatsProps {
  blocks: readonly BlockRow[];
  lag: readonly LagPoint[];
  elapsedMs: number;
}

/** The four figures at the top of the page. */
export function Stats({ blocks, lag, elapsedMs }: StatsProps): JSX.Element {
  const totalMs = blocks.reduce((total, block) => total + block.durationMs, 0);
  const longest = blocks.reduce<BlockRow | undefined>(
    (best, block) => (best && best.durationMs >= block.durationMs ? best : block),
    undefined,
  );
  const suppressed = blocks.reduce((total, block) => total + block.suppressedCount, 0);
  const summary = summariseLag(lag);
  return (
    <dl class="stats">
      <Stat
        name="Blocks"
        value={String(blocks.length + suppressed)}
        note={suppressed > 0 ? `${suppressed} of them counted only` : 'of the event loop'}
      />
      <Stat
        name="Time blocked"
        value={formatMs(totalMs)}
        note={elapsedMs > 0 ? `${formatShare(totalMs / elapsedMs)} of ${formatMs(elapsedMs)}` : ''}
      />
      <Stat
        name="Longest block"
        value={longest ? formatMs(longest.durationMs) : '–'}
        note={longest?.culprit?.functionName ?? ''}
      />
      <Stat
        name="Lag, 99th percentile"
        value={summary ? formatMs(summary.p99Ms) : '–'}
        note={summary ? `median ${formatMs(summary.p50Ms)}, maximum ${formatMs(summary.maxMs)}` : 'not measured yet'}
      />
    </dl>
  );
}

function Stat({ name, value, note }: { name: string; value: string; note: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      <dd class="note" title={note}>
        {note}
      </dd>
    </div>
  );
}
