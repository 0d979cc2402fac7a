import { groupBy } from '../collections.js';
import { position } from '../rules.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { Block, Sources } from '../types.js';
import { parseFolded } from './flame.js';

/** Blocked time of a line. */
export interface LineTime {
  readonly lineNumber: number;
  readonly ms: number;
  /** Blocks in which the culprit was seen there. */
  readonly count: number;
}

/** A line of the source with its blocked time; `ms` is 0 for lines around. */
export interface SourceLine extends LineTime {
  readonly text: string;
  /** Lines are left out before it. */
  readonly isAfterGap: boolean;
}

/** Lines `17 1650` as [line number, ms]. Malformed lines are ignored. */
export function parseLines(text: string): [lineNumber: number, ms: number][] {
  return parseFolded(text).flatMap(([[name], ms]): [number, number][] => {
    const lineNumber = Number(name);
    return position(lineNumber) !== undefined && lineNumber > 0 && ms > 0 ? [[lineNumber, ms]] : [];
  });
}

/**
 * The blocked time of the culprit's blocks by line, most first. Each block's time is divided among the lines of the culprit
 * that its samples show. Blocks whose line is unknown are left out.
 */
export function lineTimes(blocks: readonly Block[], filePath: string, range?: TimeRange): LineTime[] {
  const inFile = blocks.filter(({ culprit }) => culprit?.filePath === filePath);
  const parts = inFile.flatMap((block) => {
    const lines = linesOf(block);
    const sampledMs = sum(lines.map(([, ms]) => ms));
    return lines.map(([lineNumber, ms]) => ({ lineNumber, ms: (ms / sampledMs) * durationWithin(block, range) }));
  });
  return [...groupBy(parts, ({ lineNumber }) => lineNumber)]
    .map(([lineNumber, group]) => ({ lineNumber, ms: sum(group.map(({ ms }) => ms)), count: group.length }))
    .sort((a, b) => b.ms - a.ms);
}

/** The lines of the culprit that the block's samples show, with their weights. */
function linesOf({ culprit, lines = '' }: Block): [lineNumber: number, ms: number][] {
  const sampled = parseLines(lines);
  if (sampled.length > 0) return sampled;
  return culprit && culprit.lineNumber > 0 ? [[culprit.lineNumber, 1]] : [];
}

/**
 * The time of each line of the culprit in one block, most first, as wide as the culprit's frames in its flame graph. Empty
 * where its samples show one line only.
 */
export function lineTimesOfBlock({ lines = '', profile = '', durationMs }: Block): LineTime[] {
  const sampledMs = sum(parseFolded(profile).map(([, ms]) => ms));
  const scale = sampledMs > 0 ? durationMs / sampledMs : 1;
  return parseLines(lines).map(([lineNumber, ms]) => ({ lineNumber, ms: ms * scale, count: 1 }));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Lines shown before and after each line that blocked. */
const CONTEXT_LINES = 3;

/** The source around the lines that blocked, in its order; empty if the file is not known. */
export function sourceLines(sources: Sources, filePath: string, times: readonly LineTime[]): SourceLine[] {
  const texts = sources[filePath] ?? {};
  const byLine = new Map(times.map((time) => [time.lineNumber, time]));
  const near = new Set(
    times.flatMap(({ lineNumber }) =>
      Array.from({ length: 2 * CONTEXT_LINES + 1 }, (_, index) => lineNumber - CONTEXT_LINES + index),
    ),
  );
  return Object.keys(texts)
    .map(Number)
    .filter((line) => near.has(line))
    .sort((a, b) => a - b)
    .map((lineNumber, index, shown) => ({
      lineNumber,
      ms: byLine.get(lineNumber)?.ms ?? 0,
      count: byLine.get(lineNumber)?.count ?? 0,
      text: texts[String(lineNumber)]!,
      isAfterGap: index > 0 && lineNumber - shown[index - 1]! > 1,
    }));
}
