import { cpuWaitText, shortCpuWaitText } from '../../model/blocks/cpu-wait.js';
import { victimsText } from '../../model/blocks/victims.js';
import { formatClock, formatMs } from '../../model/text/format.js';
import { functionOfBlock } from '../../model/text/guess.js';
import type { Block } from '../../model/types.js';
import type { Colors } from './colors.js';
import { culpritSegments, minCulpritWidth } from './culprit-segments.js';
import { renderLine, type Segment, widthOf, wrapSegments } from './line.js';

export interface LineStyle {
  readonly colors: Colors;
  /** Width of the terminal; infinite if the output is no terminal, or one of unknown width. */
  readonly columns: number;
  /** Paths below this directory are shown relative to it. */
  readonly directory: string;
}

/** What has ended during a block, and before it was reported. */
export type EndedFirst = 'thread' | 'process';

/** Width of the longest cause, `cpu_starved`. */
const CAUSE_WIDTH = 11;
/** Of what is shorter than 100 s. */
const DURATION_WIDTH = 8;
const SEVERE_MS = 1000;
const NOTABLE_MS = 250;
/** In less, the words beside the stretch are left out. */
export const NARROW_COLUMNS = 40;
const INDENT: Segment = { text: '  ' };

/**
 * One block: time, duration, cause, culprit, request or async resource. On one line if that fits; else the details get a
 * second one, and in a narrow terminal the culprit gets one of its own. `endedFirst`: what ended before the block did.
 */
export function blockLines(
  block: Block,
  source: string | undefined,
  style: LineStyle,
  endedFirst?: EndedFirst,
): string[] {
  const { colors, columns, directory } = style;
  const clock = { text: formatClock(block.startMs), style: colors.dim };
  const length = formatMs(block.durationMs);
  const duration = { text: ` ${length.padStart(DURATION_WIDTH)}`, style: severity(block.durationMs, colors) };
  const head = [clock, duration, { text: `  ${block.cause.padEnd(CAUSE_WIDTH)}  `, style: colors.dim }];
  const details = detailSegments(block, source, style, endedFirst);

  const full = [...head, ...culpritOf(block, style), ...details];
  if (widthOf(full) <= columns) return [renderLine(full)];

  const detailLines = wrapSegments(details, columns);
  const leftColumns = columns - widthOf(head);
  const name = functionOfBlock(block);
  const neededColumns = block.culprit && name !== undefined ? minCulpritWidth(name, block.culprit, directory) : 0;
  if (neededColumns <= leftColumns) {
    return [renderLine([...head, ...culpritOf(block, style, leftColumns)], columns), ...detailLines];
  }
  const shortHead = [{ ...duration, text: length }, INDENT, { text: block.cause, style: colors.dim }];
  const narrowHead = [clock, INDENT, ...shortHead];
  return [
    renderLine(widthOf(narrowHead) <= columns ? narrowHead : shortHead, columns),
    renderLine([INDENT, ...culpritOf(block, style, columns - widthOf([INDENT]))], columns),
    ...detailLines,
  ];
}

function culpritOf(block: Block, style: LineStyle, width?: number): Segment[] {
  const name = functionOfBlock(block);
  if (!block.culprit || name === undefined) return [{ text: 'no stack', style: style.colors.dim }];
  return culpritSegments(name, block.culprit, style, width);
}

/** Each detail starts with two spaces, so that they can stand behind the culprit or on a line of their own. */
function detailSegments(
  block: Block,
  source: string | undefined,
  { colors, columns }: LineStyle,
  endedFirst: EndedFirst | undefined,
): Segment[] {
  const segments: Segment[] = [];
  if (block.request !== undefined) segments.push({ text: `  in ${block.request}` });
  if (block.threadName !== 'main') segments.push({ text: `  thread ${block.threadName}`, style: colors.dim });
  if (source !== undefined) segments.push({ text: `  ${source}`, style: colors.dim });
  const victims = victimsText(block);
  if (victims !== undefined) segments.push({ text: `  ${victims}`, style: colors.dim });
  if (block.pending?.length) segments.push({ text: `  pending ${block.pending.join(', ')}` });
  if (block.childProcesses?.length) segments.push({ text: `  waits for ${block.childProcesses.join(', ')}` });
  if (block.suppressedCount > 0) {
    segments.push({ text: `  +${block.suppressedCount} not reported`, style: colors.dim });
  }
  if (!block.ended) {
    const text = endedFirst === undefined ? 'still blocked' : `or longer: the ${endedFirst} has ended`;
    segments.push({ text: `  ${text}`, style: colors.red });
  }
  const cpuWait = columns < NARROW_COLUMNS ? shortCpuWaitText(block) : cpuWaitText(block);
  if (cpuWait !== undefined) segments.push({ text: `  ${cpuWait}`, style: colors.dim });
  return segments;
}

function severity(durationMs: number, colors: Colors): (text: string) => string {
  if (durationMs >= SEVERE_MS) return (text) => colors.bold(colors.red(text));
  return durationMs >= NOTABLE_MS ? colors.yellow : String;
}
