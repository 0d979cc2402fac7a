import { largest } from '../collections.js';
import { position } from '../rules.js';
import type { Block } from '../types.js';
import { parseFolded } from './flame.js';

/** A frame of an anonymous function in a folded stack: base name of its file, and the line at which it is defined. */
const ANONYMOUS_FRAME = /^<anonymous (.+):(\d+)>$/s;

/**
 * Line at which the culprit is defined, where it has no name: the functions of two routes in one file are two culprits.
 * It is the innermost anonymous function of that file before the culprit's line that is in most of the profile. Where
 * none is, as in a block of several requests, it is one defined at the culprit's line, or else the one with the most
 * time. Undefined for a culprit with a name, and where the profile does not show it.
 */
export function definitionLine({ culprit, profile }: Pick<Block, 'culprit' | 'profile'>): number | undefined {
  if (culprit === undefined || profile === undefined || !/(^|[. ])<anonymous>$/.test(culprit.functionName)) {
    return undefined;
  }
  const file = culprit.filePath.split(/[\\/]/).at(-1);
  const msOfLine = new Map<number, number>();
  let totalMs = 0;
  for (const [frames, ms] of parseFolded(profile)) {
    totalMs += ms;
    for (const line of new Set(frames.flatMap((frame) => lineIn(frame, file)))) {
      if (line <= culprit.lineNumber) msOfLine.set(line, (msOfLine.get(line) ?? 0) + ms);
    }
  }
  const lines = [...msOfLine].filter(([, ms]) => ms >= totalMs / 2).map(([line]) => line);
  if (lines.length > 0) return largest(lines);
  if (msOfLine.has(culprit.lineNumber)) return culprit.lineNumber;
  return [...msOfLine].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function lineIn(frame: string, file: string | undefined): number | [] {
  const [, name, line] = ANONYMOUS_FRAME.exec(frame) ?? [];
  return name === file ? (position(Number(line)) ?? []) : [];
}
