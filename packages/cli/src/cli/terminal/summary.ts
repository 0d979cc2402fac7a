import { cpuWaitText, shortCpuWaitText } from '../../model/blocks/cpu-wait.js';
import { countBlocks, rankCulprits, timesOf } from '../../model/blocks/culprits.js';
import { sentencesOf } from '../../model/blocks/sentence.js';
import { summariseLag } from '../../model/delays/histogram.js';
import { formatMs, formatShare, plural } from '../../model/text/format.js';
import { functionOfCulprit, guessLegends } from '../../model/text/guess.js';
import type { Block, Culprit, LagPoint } from '../../model/types.js';
import { alignedLines, type TextColumn } from './aligned.js';
import { type LineStyle, NARROW_COLUMNS } from './block-line.js';
import { culpritSegments, minCulpritWidth } from './culprit-segments.js';
import { renderLine, type Segment, widthOf, wrapSegments, wrapText } from './line.js';

/** Number of culprits shown; further ones are counted. */
const MAX_ROWS = 15;
const COLUMNS: readonly TextColumn[] = [
  { title: 'count', align: 'right' },
  { title: 'total', align: 'right', minWidth: 9 },
  { title: 'longest', align: 'right', minWidth: 8 },
  { title: 'share', align: 'right', minWidth: 6 },
];

export interface SummaryInput {
  readonly blocks: readonly Block[];
  readonly lag: readonly LagPoint[];
  readonly elapsedMs: number;
  /** Said instead of "No block", which is not known where no process has reported. */
  readonly nothingWatched?: string | undefined;
  /** Sentences for the end of the summary. */
  readonly hints?: readonly string[];
  /** Sentences that must not be overlooked: they come last. */
  readonly remarks?: readonly string[];
  /** The version in which the culprit with this key is new, where that is known. */
  readonly newIn?: (culprit: string) => string | undefined;
}

/** The table of culprits, the lag percentiles, what the reader has to know about them, and the sentence, as lines. */
export function summaryLines(input: SummaryInput, style: LineStyle): string[] {
  const { blocks, lag, hints = [], remarks = [], newIn } = input;
  const culprits = rankCulprits(blocks);
  const notes = [...guessLegends(blocks), ...hints];
  const sentences = sentencesOf(blocks, { directory: style.directory, newIn });
  return [
    ...wrapText(headline(input, culprits), undefined, style.columns),
    ...table(culprits, style),
    ...lagLines(lag, style.columns),
    ...notes.flatMap((note) => wrapText(note, style.colors.dim, style.columns)),
    ...[...sentences, ...remarks].flatMap((sentence) => wrapText(sentence, undefined, style.columns)),
  ];
}

function headline({ blocks, elapsedMs, nothingWatched }: SummaryInput, culprits: readonly Culprit[]): string {
  if (blocks.length === 0 && nothingWatched !== undefined) return nothingWatched;
  if (blocks.length === 0) return `No block in ${formatMs(elapsedMs)}.`;
  const count = countBlocks(blocks);
  const unreported = count > blocks.length ? `, ${count - blocks.length} of them counted only,` : '';
  const counts = `${plural(count, 'block')}${unreported} by ${plural(culprits.length, 'culprit')}`;
  return `${counts} in ${formatMs(elapsedMs)}, ${formatMs(blockedMs(culprits))} blocked${inThreads(blocks)}`;
}

/** Threads block at the same time: their sum may be longer than the run. */
function inThreads(blocks: readonly Block[]): string {
  const count = new Set(blocks.map(({ instance, threadId }) => `${instance} ${threadId}`)).size;
  return count > 1 ? ` in ${count} threads` : '';
}

function blockedMs(culprits: readonly Culprit[]): number {
  return culprits.reduce((total, culprit) => total + culprit.totalMs, 0);
}

/** A row for each culprit. In a narrow terminal, the numbers stand below the culprit and the table has no header. */
function table(culprits: readonly Culprit[], style: LineStyle): string[] {
  if (culprits.length === 0) return [];
  const { colors, columns } = style;
  const totalMs = blockedMs(culprits);
  const shown = culprits.slice(0, MAX_ROWS);
  const numbers = alignedLines(
    COLUMNS,
    shown.map((culprit) => numbersOf(culprit, totalMs)),
  );
  const header = beforeName(numbers.header);
  const fits = shown.every((culprit) => widthOf([header]) + minNameWidth(culprit, style) <= columns);
  const rows = shown.flatMap((culprit, index) =>
    fits ? row(culprit, beforeName(numbers.lines[index]!), style) : narrowRow(culprit, totalMs, style),
  );
  const rest = culprits.length - shown.length;
  return [
    ...(fits ? [renderLine([{ text: `${header.text}culprit`, style: colors.dim }], columns)] : []),
    ...rows,
    ...(rest > 0 ? [renderLine([{ text: `  and ${plural(rest, 'more culprit')}`, style: colors.dim }], columns)] : []),
  ];
}

function row(culprit: Culprit, numbers: Segment, style: LineStyle): string[] {
  const { columns } = style;
  const details = detailsOf(culprit, style);
  const full = [numbers, ...nameSegments(culprit, style), ...details];
  if (widthOf(full) <= columns) return [renderLine(full)];
  const name = nameSegments(culprit, style, columns - widthOf([numbers]));
  const indent = { text: ' '.repeat(widthOf([numbers]) - 2) };
  return [
    renderLine([numbers, ...name], columns),
    ...details.map((detail) => {
      const indented = [indent, detail];
      return renderLine(widthOf(indented) <= columns ? indented : [detail], columns);
    }),
  ];
}

function narrowRow(culprit: Culprit, totalMs: number, style: LineStyle): string[] {
  const numbers = [
    `  ${shareOf(culprit, totalMs)}`,
    `  ${formatMs(culprit.totalMs)}`,
    `  ${plural(countOf(culprit), 'block')}`,
    `  longest ${formatMs(culprit.longestMs)}`,
  ].map((text) => ({ text }));
  return [
    renderLine(nameSegments(culprit, style, style.columns), style.columns),
    ...wrapSegments([...numbers, ...detailsOf(culprit, style)], style.columns),
  ];
}

function numbersOf(culprit: Culprit, totalMs: number): string[] {
  const { longestMs } = culprit;
  return [String(countOf(culprit)), formatMs(culprit.totalMs), formatMs(longestMs), shareOf(culprit, totalMs)];
}

function beforeName(numbers: string): Segment {
  return { text: `  ${numbers}  ` };
}

function countOf({ count, suppressedCount }: Culprit): number {
  return count + suppressedCount;
}

/** Share of the blocked time. */
function shareOf(culprit: Culprit, totalMs: number): string {
  return totalMs > 0 ? formatShare(culprit.totalMs / totalMs) : '-';
}

function nameSegments(culprit: Culprit, style: LineStyle, width?: number): Segment[] {
  const name = functionOfCulprit(culprit);
  if (!culprit.location || name === undefined) return [{ text: namelessText(culprit), style: style.colors.dim }];
  return culpritSegments(name, culprit.location, style, width);
}

function minNameWidth(culprit: Culprit, { directory }: LineStyle): number {
  const name = functionOfCulprit(culprit);
  if (!culprit.location || name === undefined) return namelessText(culprit).length;
  return minCulpritWidth(name, culprit.location, directory);
}

function namelessText({ cause }: Culprit): string {
  return `no stack (${cause})`;
}

function detailsOf(culprit: Culprit, { colors, columns }: LineStyle): Segment[] {
  const times = timesOf(culprit);
  const cpuWait = columns < NARROW_COLUMNS ? shortCpuWaitText(times) : cpuWaitText(times);
  return cpuWait === undefined ? [] : [{ text: `  ${cpuWait}`, style: colors.dim }];
}

function lagLines(points: readonly LagPoint[], columns: number): string[] {
  const lag = summariseLag(points);
  if (!lag) return [];
  const values = [
    `Lag p50 ${formatMs(lag.p50Ms)},`,
    ` p90 ${formatMs(lag.p90Ms)},`,
    ` p99 ${formatMs(lag.p99Ms)},`,
    ` max ${formatMs(lag.maxMs)}`,
  ];
  return wrapSegments(
    values.map((text) => ({ text })),
    columns,
  );
}
