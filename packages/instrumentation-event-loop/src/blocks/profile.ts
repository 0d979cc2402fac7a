import { isAnonymous } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import type { Occurrence } from './culprit.js';
import type { Segment } from './segments.js';

/** Characters of a folded profile. The stacks with the least time are dropped first. */
const MAX_LENGTH = 16_384;
/** Characters of a frame's name in the profile: the deepest captured stack fits into `MAX_LENGTH`. */
const MAX_NAME = 96;

/** Folds the segments to lines `root;caller;callee N`, most time first; N is in ms and at least 1. */
export function foldProfile(segments: readonly Segment[], maxLength = MAX_LENGTH): string {
  const times = new Map<string, number>();
  for (const { frames, ms } of segments) {
    if (frames.length === 0) continue;
    const stack = frames.map(nameInProfile).reverse().join(';');
    times.set(stack, (times.get(stack) ?? 0) + ms);
  }
  let folded = '';
  for (const [stack, ms] of byTime(times)) {
    const line = `${stack} ${wholeMs(ms)}`;
    const next = folded === '' ? line : `${folded}\n${line}`;
    if (next.length > maxLength) continue; // a shorter line may still fit
    folded = next;
  }
  return folded;
}

/** Positions that are mapped to their source; those with the least time are left out. */
const MAX_POSITIONS = 64;

/**
 * The time of each line of the culprit and of its inline callbacks, most time first, as lines `17 1650`: line number and ms, at least 1. Undefined
 * where the samples show it at one line only. `culprit` is its frame in the source, to which `mapStack` maps.
 */
export function foldLines(
  occurrences: readonly Occurrence[],
  culprit: Frame,
  mapStack: (stack: readonly Frame[]) => readonly Frame[],
): string | undefined {
  const frames = new Map<string, Frame>();
  const positions = new Map<string, number>();
  for (const { place: frame, segment } of occurrences) {
    // Generated code may have one line only.
    const key = `${frame.lineNumber}:${frame.columnNumber}`;
    if (!frames.has(key)) frames.set(key, frame);
    positions.set(key, (positions.get(key) ?? 0) + segment.ms);
  }
  if (positions.size < 2) return undefined;

  const lines = new Map<number, number>();
  for (const [key, ms] of byTime(positions).slice(0, MAX_POSITIONS)) {
    const frame = frames.get(key)!;
    const { fileName, lineNumber } = mapStack([frame])[0] ?? frame;
    if (fileName === culprit.fileName && lineNumber > 0) lines.set(lineNumber, (lines.get(lineNumber) ?? 0) + ms);
  }
  if (lines.size < 2) return undefined;
  return byTime(lines)
    .map(([lineNumber, ms]) => `${lineNumber} ${wholeMs(ms)}`)
    .join('\n');
}

function byTime<K>(times: ReadonlyMap<K, number>): [K, number][] {
  return [...times].sort((a, b) => b[1] - a[1]);
}

function wholeMs(ms: number): number {
  return Math.max(1, Math.round(ms));
}

/** A frame's name without the characters that separate frames and lines in the format. */
export function nameInProfile(frame: Frame): string {
  let name = names.get(frame);
  if (name === undefined) {
    name = makeName(frame);
    names.set(frame, name);
  }
  return name;
}

/** Cached, because the stacks of a block have most of their frames in common. */
const names = new WeakMap<Frame, string>();

function makeName(frame: Frame): string {
  const file = frame.fileName.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = isAnonymous(frame)
    ? `<anonymous ${file}:${frame.functionLineNumber || frame.lineNumber}>`
    : frame.functionName;
  const shortened = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  return shortened.replaceAll(';', '_').replaceAll('\r', '_').replaceAll('\n', '_');
}
