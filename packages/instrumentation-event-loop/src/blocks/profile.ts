import { isAnonymous, MAX_COLUMN, MAX_FRAMES } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { sourceOf, type Culprit } from './culprit.js';
import type { Segment } from './segments.js';

/** Characters of a folded profile. The stacks with the least time are dropped first. */
const MAX_LENGTH = 16_384;
/** The same of a frame's name: the deepest captured stack fits in, with as much left for its time. */
const MAX_NAME = MAX_LENGTH / MAX_FRAMES - 2;

/** Folds the segments to lines `root;caller;callee N`, most time first; N is in ms and at least 1. */
export function foldProfile(segments: readonly Segment[], maxLength = MAX_LENGTH): string {
  const times = new Map<string, number>();
  for (const { source, ms } of segments) {
    if (source.length > 0) add(times, source.map(nameInProfile).reverse().join(';'), ms);
  }
  return fold(times, maxLength);
}

/**
 * The time of each line of the culprit and of its inline callbacks as lines `17 1650`, most time first: line number and ms,
 * at least 1. Undefined where the samples show it at one line only.
 */
export function foldLines({ source, occurrences }: Pick<Culprit, 'source' | 'occurrences'>): string | undefined {
  const times = new Map<number, number>();
  for (const { place, segment } of occurrences) {
    const { fileName, lineNumber } = sourceOf(segment, place);
    if (fileName === source.fileName && lineNumber > 0) add(times, lineNumber, segment.ms);
  }
  return times.size < 2 ? undefined : fold(times, MAX_LENGTH);
}

function add<K>(times: Map<K, number>, key: K, ms: number): void {
  times.set(key, (times.get(key) ?? 0) + ms);
}

function fold(times: ReadonlyMap<string | number, number>, maxLength: number): string {
  let folded = '';
  for (const [key, ms] of [...times].sort((a, b) => b[1] - a[1])) {
    const line = `${key} ${Math.max(1, Math.round(ms))}`;
    const next = folded === '' ? line : `${folded}\n${line}`;
    if (next.length <= maxLength) folded = next; // where one does not fit, a shorter line may
  }
  return folded;
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
  const name = isAnonymous(frame) ? `<anonymous ${file}:${startOf(frame)}>` : frame.functionName;
  const shortened = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
  return shortened.replaceAll(';', '_').replaceAll('\r', '_').replaceAll('\n', '_');
}

/** The line at which the function begins; with the column in minified code, where a line has many functions. */
function startOf({ functionLineNumber, functionColumnNumber, lineNumber }: Frame): string {
  if (functionLineNumber === 0) return `${lineNumber}`;
  return functionColumnNumber > MAX_COLUMN ? `${functionLineNumber}:${functionColumnNumber}` : `${functionLineNumber}`;
}
