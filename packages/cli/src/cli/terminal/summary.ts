import path from 'node:path';

import { rankCulprits } from '../../model/culprits.js';
import { formatMs, formatPlace, formatShare, plural } from '../../model/format.js';
import { summariseLag } from '../../model/histogram.js';
import type { Block, Culprit, LagPoint } from '../../model/types.js';
import type { LineStyle } from './block-line.js';
import { renderLine, type Segment } from './line.js';

/** Number of culprits shown; further ones are counted. */
const MAX_ROWS = 15;

export interface SummaryInput {
  readonly blocks: readonly Block[];
  readonly lag: readonly LagPoint[];
  readonly elapsedMs: number;
}

/** The table of culprits and the lag percentiles, as lines. */
export function summaryLines(input: SummaryInput, style: LineStyle): string[] {
  const culprits = rankCulprits(input.blocks);
  return [headline(input, culprits.length), ...table(culprits, input.elapsedMs, style), ...lagLine(input.lag)].map(
    (segments) => renderLine(segments, style.columns),
  );
}

function headline({ blocks, elapsedMs }: SummaryInput, culpritCount: number): Segment[] {
  const text =
    blocks.length === 0
      ? `No block in ${formatMs(elapsedMs)}.`
      : `${plural(blocks.length, 'block')} by ${plural(culpritCount, 'culprit')} in ${formatMs(elapsedMs)}`;
  return [{ text }];
}

function table(culprits: readonly Culprit[], elapsedMs: number, style: LineStyle): Segment[][] {
  if (culprits.length === 0) return [];
  const { colors } = style;
  const header = row(['count', 'total', 'longest', 'share'], [{ text: 'culprit' }]).map((segment) => ({
    ...segment,
    style: colors.dim,
  }));
  const rows = culprits
    .slice(0, MAX_ROWS)
    .map((culprit) =>
      row(
        [
          String(culprit.count + culprit.suppressedCount),
          formatMs(culprit.totalMs),
          formatMs(culprit.longestMs),
          elapsedMs > 0 ? formatShare(culprit.totalMs / elapsedMs) : '-',
        ],
        nameSegments(culprit, style),
      ),
    );
  const rest = culprits.slice(MAX_ROWS);
  const more = rest.length === 0 ? [] : [[{ text: `  and ${plural(rest.length, 'more culprit')}`, style: colors.dim }]];
  return [header, ...rows, ...more];
}

function row(numbers: readonly [string, string, string, string], name: readonly Segment[]): Segment[] {
  const [count, total, longest, share] = numbers;
  const cells = [count.padStart(7), total.padStart(11), longest.padStart(10), share.padStart(8)];
  return [{ text: `${cells.join('')}  ` }, ...name];
}

function nameSegments({ location, cause }: Culprit, { colors, directory, columns }: LineStyle): Segment[] {
  if (!location) return [{ text: `no stack (${cause})`, style: colors.dim }];
  const place =
    columns < 90 ? `${path.basename(location.filePath)}:${location.lineNumber}` : formatPlace(location, directory);
  return [{ text: location.functionName, style: colors.bold }, { text: ' ' }, { text: place, style: colors.cyan }];
}

function lagLine(points: readonly LagPoint[]): Segment[][] {
  const lag = summariseLag(points);
  if (!lag) return [];
  const values = [
    `p50 ${formatMs(lag.p50Ms)}`,
    `p90 ${formatMs(lag.p90Ms)}`,
    `p99 ${formatMs(lag.p99Ms)}`,
    `max ${formatMs(lag.maxMs)}`,
  ];
  return [[{ text: `Lag ${values.join(', ')}` }]];
}
