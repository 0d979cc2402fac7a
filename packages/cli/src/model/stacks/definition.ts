import { position } from '../rules.js';
import type { Block } from '../types.js';
import { parseFolded } from './flame.js';

/**
 * A frame of an anonymous function in a folded stack: base name of its file, and the line at which it is defined, with the
 * column in minified code.
 */
const ANONYMOUS_FRAME = /^<anonymous (.+?):(\d+)(?::(\d+))?>$/s;

/** Where a culprit without a name is defined. */
export type Definition = Pick<Block, 'definedAt' | 'definedAtColumn'>;

interface Place {
  readonly line: number;
  /** 0 where the line alone is known. */
  readonly column: number;
}

/**
 * Where the culprit is defined, if it has no name: the functions of two routes in one file are two culprits. It is the
 * innermost anonymous function of that file before the culprit's place that is in most of the profile. Where none is, as
 * in a block of several requests, it is one defined at the culprit's line, or else the one with the most time. Nothing
 * for a culprit with a name, and where the profile does not show it.
 */
export function definitionOf({ culprit, profile }: Pick<Block, 'culprit' | 'profile'>): Definition {
  if (culprit === undefined || profile === undefined || !/(^|[. ])<anonymous>$/.test(culprit.functionName)) return {};
  const file = culprit.filePath.split(/[\\/]/).at(-1);
  const places = new Map<string, Place & { ms: number }>();
  let totalMs = 0;
  for (const [frames, ms] of parseFolded(profile)) {
    totalMs += ms;
    for (const frame of new Set(frames)) {
      const place = placeIn(frame, file);
      if (!place || !isBefore(place, culprit)) continue;
      const known = places.get(frame) ?? { ...place, ms: 0 };
      places.set(frame, { ...known, ms: known.ms + ms });
    }
  }
  const inOrder = [...places.values()].sort((a, b) => b.line - a.line || b.column - a.column);
  const inMost = inOrder.find(({ ms }) => ms >= totalMs / 2);
  const atLine = inOrder.find(({ line }) => line === culprit.lineNumber);
  const [longest] = [...places.values()].sort((a, b) => b.ms - a.ms);
  const found = inMost ?? atLine ?? longest;
  return found ? { definedAt: found.line, ...(found.column > 0 && { definedAtColumn: found.column }) } : {};
}

function placeIn(frame: string, file: string | undefined): Place | undefined {
  const [, name, line, column] = ANONYMOUS_FRAME.exec(frame) ?? [];
  const known = name === file ? position(Number(line)) : undefined;
  return known === undefined ? undefined : { line: known, column: position(Number(column)) ?? 0 };
}

function isBefore({ line, column }: Place, culprit: NonNullable<Block['culprit']>): boolean {
  const { lineNumber, columnNumber } = culprit;
  return line < lineNumber || (line === lineNumber && column <= (columnNumber || Infinity));
}
