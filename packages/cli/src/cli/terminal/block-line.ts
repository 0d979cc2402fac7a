import path from 'node:path';

import { formatClock, formatMs, formatPlace } from '../../model/format.js';
import type { Block } from '../../model/types.js';
import type { Colors } from './colors.js';
import { renderLine, type Segment, widthOf } from './line.js';

export interface LineStyle {
  readonly colors: Colors;
  /** Width of the terminal; infinite if the output is no terminal. */
  readonly columns: number;
  /** Paths below this directory are shown relative to it. */
  readonly directory: string;
}

/** Width of the longest cause, `cpu_starved`. */
const CAUSE_WIDTH = 11;
const DURATION_WIDTH = 8;
const SEVERE_MS = 1000;
const NOTABLE_MS = 250;

/** One block as one line: time, duration, cause, culprit, request or async resource. */
export function blockLine(block: Block, source: string | undefined, style: LineStyle): string {
  const { colors, columns } = style;
  const head: Segment[] = [
    { text: formatClock(block.startMs), style: colors.dim },
    { text: formatMs(block.durationMs).padStart(DURATION_WIDTH + 1), style: severity(block.durationMs, colors) },
    { text: `  ${block.cause.padEnd(CAUSE_WIDTH)}  `, style: colors.dim },
  ];
  const tail = tailSegments(block, source, colors);
  const full = [...head, ...culpritSegments(block, style), ...tail];
  if (widthOf(full) <= columns) return renderLine(full);
  return renderLine([...head, ...culpritSegments(block, style, true), ...tail], columns);
}

function culpritSegments(block: Block, { colors, directory }: LineStyle, brief = false): Segment[] {
  const { culprit } = block;
  if (!culprit) return [{ text: 'no stack', style: colors.dim }];
  const place = brief ? `${path.basename(culprit.filePath)}:${culprit.lineNumber}` : formatPlace(culprit, directory);
  return [{ text: culprit.functionName, style: colors.bold }, { text: ' ' }, { text: place, style: colors.cyan }];
}

function tailSegments(block: Block, source: string | undefined, colors: Colors): Segment[] {
  const segments: Segment[] = [];
  const where = block.request ?? block.asyncResource;
  if (where !== undefined) segments.push({ text: `  in ${where}` });
  if (block.threadName !== 'main') segments.push({ text: `  thread ${block.threadName}`, style: colors.dim });
  if (source !== undefined) segments.push({ text: `  ${source}`, style: colors.dim });
  if (block.victimCount !== undefined && block.victimCount > 0) {
    segments.push({ text: `  ${block.victimCount} waited`, style: colors.dim });
  }
  if (block.pending?.length) segments.push({ text: `  pending ${block.pending.join(', ')}` });
  if (block.suppressedCount > 0) {
    segments.push({ text: `  +${block.suppressedCount} not reported`, style: colors.dim });
  }
  if (!block.ended) segments.push({ text: '  still blocked', style: colors.red });
  return segments;
}

function severity(durationMs: number, colors: Colors): (text: string) => string {
  if (durationMs >= SEVERE_MS) return (text) => colors.bold(colors.red(text));
  return durationMs >= NOTABLE_MS ? colors.yellow : String;
}
