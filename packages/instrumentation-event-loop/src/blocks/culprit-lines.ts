import type { Frame } from '../contract/model.js';
import type { Occurrence } from './shares.js';

/** Positions that are mapped to their source; those with the least time are left out. */
const MAX_POSITIONS = 64;

/**
 * The time of each line of the culprit, heaviest first, as lines `17 1650`: line number and ms, at least 1. Undefined where
 * the samples show it at one line only. `culprit` is its frame in the source, to which `mapStack` maps.
 */
export function foldLines(
  occurrences: readonly Occurrence[],
  culprit: Frame,
  mapStack: (stack: readonly Frame[]) => readonly Frame[],
): string | undefined {
  const positions = new Map<string, { readonly frame: Frame; ms: number }>();
  for (const { frame, weighted } of occurrences) {
    // Generated code may have one line only.
    const key = `${frame.lineNumber}:${frame.columnNumber}`;
    const position = positions.get(key) ?? { frame, ms: 0 };
    positions.set(key, position);
    position.ms += weighted.weightMs;
  }
  if (positions.size < 2) return undefined;

  const lines = new Map<number, number>();
  for (const { frame, ms } of byTime([...positions.values()]).slice(0, MAX_POSITIONS)) {
    const { fileName, lineNumber } = mapStack([frame])[0] ?? frame;
    if (fileName === culprit.fileName && lineNumber > 0) lines.set(lineNumber, (lines.get(lineNumber) ?? 0) + ms);
  }
  if (lines.size < 2) return undefined;
  return byTime([...lines].map(([lineNumber, ms]) => ({ lineNumber, ms })))
    .map(({ lineNumber, ms }) => `${lineNumber} ${Math.max(1, Math.round(ms))}`)
    .join('\n');
}

function byTime<T extends { readonly ms: number }>(entries: readonly T[]): T[] {
  return [...entries].sort((a, b) => b.ms - a.ms);
}
