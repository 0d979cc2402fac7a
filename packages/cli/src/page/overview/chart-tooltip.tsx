import type { JSX } from 'preact';

import { cpuWaitText } from '../../model/blocks/cpu-wait.js';
import { rankCulprits } from '../../model/blocks/culprits.js';
import { largest, smallest } from '../../model/collections.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatClock, formatMs, plural } from '../../model/text/format.js';
import { functionOfBlock, functionOfCulprit } from '../../model/text/guess.js';
import type { Mark } from '../model/chart-marks.js';

export interface Hover {
  readonly mark: Mark;
  readonly left: number;
  readonly top: number;
}

/** A side of the chart on which the tooltip would leave it. */
const FLIP_SHARE = 0.5;

interface ChartTooltipProps {
  hover: Hover;
  widthPx: number;
}

/** What is at the pointer. */
export function ChartTooltip({ hover: { mark, left, top }, widthPx }: ChartTooltipProps): JSX.Element {
  const [title, ...lines] = markLines(mark);
  return (
    <div
      class={`tooltip${left > widthPx * FLIP_SHARE ? ' before' : ''}`}
      style={{ left: `${left}px`, top: `${top}px` }}
      aria-hidden="true"
    >
      <strong>{title}</strong>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

/** The mark in words: for the tooltip, and for a reader who cannot see it. */
export function markLines({ blocks, cause }: Mark): string[] {
  const [block] = blocks;
  if (block && blocks.length === 1) {
    return [
      formatMs(block.durationMs),
      [CAUSE_TEXT[cause], cpuWaitText(block)].filter(Boolean).join(', '),
      functionOfBlock(block) ?? 'No stack',
      formatClock(block.startMs),
    ];
  }
  const [worst, ...others] = rankCulprits(blocks);
  const name = worst && functionOfCulprit(worst);
  const starts = blocks.map(({ startMs }) => startMs);
  return [
    `${plural(blocks.length, 'block')}, ${formatMs(blocks.reduce((total, { durationMs }) => total + durationMs, 0))}`,
    `longest ${formatMs(largest(blocks.map(({ durationMs }) => durationMs)))}`,
    `${name ?? 'No stack'}${others.length > 0 ? ` and ${plural(others.length, 'other')}` : ''}`,
    `${formatClock(smallest(starts)).slice(0, 8)} to ${formatClock(largest(starts)).slice(0, 8)}`,
  ];
}
