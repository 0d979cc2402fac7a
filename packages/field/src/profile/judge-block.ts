import type { Place, ReportedBlock } from '../blocks.ts';
import { isApplication, isForeign, isObserver, isSameFunction, renamedFunction } from './frames.ts';
import { isSameName, isSamePlace, linesOfStack } from './stack-lines.ts';
import type { Frame, Sample, Timeline } from './timeline.ts';

export const verdicts = ['right', 'wrong', 'unnamed', 'unchecked'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Judgement {
  /**
   * `right`: the culprit, or a function that it called, had at least half of the samples. `unnamed`: the block is there,
   * and the report names no function. `unchecked`: the profile does not say.
   */
  readonly verdict: Verdict;
  readonly reason: string;
  /** Share of the samples with a stack that have the culprit on it. */
  readonly share?: number;
}

/** Part of the block that the profile must cover, and part of it that must have a stack. */
const MIN_COVERAGE = 0.8;
const MIN_KNOWN = 0.5;
const MIN_SHARE = 0.5;

/** Checks a reported block against the profiles of the same run. */
export function judgeBlock(
  block: ReportedBlock,
  timelines: readonly Timeline[],
  options: { readonly sourceMapped?: boolean } = {},
): Judgement {
  const ofThread = timelines.filter(({ pid, threadId }) => pid === block.pid && threadId === block.threadId);
  if (ofThread.length === 0) return { verdict: 'unchecked', reason: 'no profile of this thread' };
  if (isIdleAtEnd(block, ofThread)) return { verdict: 'wrong', reason: 'the thread was idle' };
  const pieces = ofThread.flatMap((timeline) =>
    clip(timeline.samples, block.startMs, block.startMs + block.durationMs),
  );
  const coveredMs = sum(pieces);
  if (coveredMs < MIN_COVERAGE * block.durationMs) {
    return { verdict: 'unchecked', reason: 'the profile does not cover the block' };
  }
  if (sum(pieces, ({ activity }) => activity === 'idle') >= coveredMs / 2) {
    return { verdict: 'wrong', reason: 'the thread was idle' };
  }
  const known = pieces.filter(({ stack }) => stack.length > 0);
  const knownMs = sum(known);
  if (knownMs < MIN_KNOWN * coveredMs) {
    return { verdict: 'unchecked', reason: 'the profile has no stack for most of the block' };
  }
  return judgeCulprit(block, known, knownMs, options);
}

/** After the last request, a server waits for its signal: it sleeps, and no code runs. */
function isIdleAtEnd({ startMs, cause, culprit }: ReportedBlock, timelines: readonly Timeline[]): boolean {
  const isAfter = timelines.every(({ endMs }) => startMs > endMs);
  return isAfter && cause === 'waiting' && culprit === undefined;
}

function judgeCulprit(
  block: ReportedBlock,
  known: readonly Sample[],
  knownMs: number,
  options: { readonly sourceMapped?: boolean },
): Judgement {
  const { culprit } = block;
  const top = `the profile has ${describeFrame(dominantFrame(known))}`;
  if (culprit === undefined) return { verdict: 'unnamed', reason: `no function; ${top}` };
  const places = [asInProfile(culprit, known), ...calledByAwaiting(block)];
  const share = Math.max(
    ...places.map(
      (place) => sum(known, ({ stack }) => stack.some((frame) => isSameFunction(place, frame, options))) / knownMs,
    ),
  );
  const foreignMs = sum(known, ({ stack }) => stack.some(isForeign));
  if (isObserver(culprit.filePath) && foreignMs >= knownMs / 2) {
    return { verdict: 'wrong', reason: `an observer is the culprit; ${top}`, share };
  }
  if (share >= MIN_SHARE) return { verdict: 'right', reason: '', share };
  const most = innermostFunctions(known)[0]?.ms ?? 0;
  // No function has half of the block: the longest one is right, and one nearly as long may be.
  if (most < knownMs / 2 && share * knownMs >= most) return { verdict: 'right', reason: '', share };
  if (most < knownMs / 2 && share >= (MIN_SHARE * most) / knownMs) {
    return { verdict: 'unchecked', reason: 'no function has half of the samples', share };
  }
  if (isInlined(block, known, knownMs, options)) {
    return { verdict: 'unchecked', reason: 'the profile has only the caller of the culprit', share };
  }
  if (isAwaiting(block)) return { verdict: 'unchecked', reason: 'the profile has no function that awaits', share };
  return { verdict: 'wrong', reason: `on the stack in ${Math.round(share * 100)} %; ${top}`, share };
}

/**
 * A function that waits in `await` is a caller of what runs, but V8's profile does not have it. Where the culprit is one,
 * these are the functions that run, of the same stack: of the other stacks of the block, they are not known.
 */
function calledByAwaiting(block: ReportedBlock): Place[] {
  if (!isAwaiting(block)) return [];
  return linesOfStack(block.stackTrace)
    .filter(({ isAsync, place }) => !isAsync && !place.filePath.startsWith('node:'))
    .map(({ place }) => place);
}

function isAwaiting({ culprit, stackTrace }: ReportedBlock): boolean {
  return linesOfStack(stackTrace).some(({ isAsync, place }) => isAsync && isSameName(place, culprit));
}

/** The culprit, by the name that V8's profile has for its function. */
function asInProfile(culprit: Place, known: readonly Sample[]): Place {
  const frames = new Set(known.flatMap(({ stack }) => stack));
  const renamed = renamedFunction(culprit, [...frames]);
  return renamed === undefined ? culprit : { ...culprit, functionName: renamed.functionName };
}

/**
 * V8's profile has a function that V8 has inlined as its caller: for half of the block, the culprit is on the stack, or
 * its caller is on top. Of callers further away this would say too little: they compute themselves, too.
 */
function isInlined(
  { culprit, stackTrace }: ReportedBlock,
  known: readonly Sample[],
  knownMs: number,
  options: { readonly sourceMapped?: boolean },
): boolean {
  const places = linesOfStack(stackTrace).map(({ place }) => place);
  const index = places.findIndex((place) => isSamePlace(place, culprit));
  if (culprit === undefined || index === -1) return false;
  const caller = places[index + 1];
  const isShown = ({ stack }: Sample): boolean =>
    (caller !== undefined && isSameFunction(caller, stack.at(-1)!, options)) ||
    stack.some((frame) => isSameFunction(culprit, frame, options));
  return sum(known, isShown) >= knownMs / 2;
}

/** The deepest function, not of Node.js itself if possible, that is on the stack in at least half of the time. */
export function dominantFrame(samples: readonly Sample[]): Frame | undefined {
  const totalMs = sum(samples);
  const times = new Map<string, { frame: Frame; ms: number; depth: number }>();
  for (const { stack, startMs, endMs } of samples) {
    const seen = new Set<string>();
    stack.forEach((frame, depth) => {
      const key = keyOf(frame);
      if (seen.has(key)) return;
      seen.add(key);
      const entry = times.get(key) ?? { frame, ms: 0, depth };
      times.set(key, { frame, ms: entry.ms + endMs - startMs, depth: Math.max(entry.depth, depth) });
    });
  }
  const frequent = [...times.values()].filter(({ ms }) => ms >= totalMs / 2).sort((a, b) => b.depth - a.depth);
  return (frequent.find(({ frame }) => isForeign(frame)) ?? frequent[0])?.frame;
}

/** The functions that are the innermost of the application in a sample, or of its packages; the longest first. */
function innermostFunctions(samples: readonly Sample[]): { frame: Frame; ms: number }[] {
  const times = new Map<Frame, number>();
  for (const { stack, startMs, endMs } of samples) {
    const frame = stack.findLast(isApplication) ?? stack.findLast(isForeign);
    if (frame !== undefined) times.set(frame, (times.get(frame) ?? 0) + endMs - startMs);
  }
  const places = new Map<string, { frame: Frame; ms: number }>();
  for (const [frame, ms] of times) {
    const key = keyOf(frame);
    places.set(key, { frame, ms: (places.get(key)?.ms ?? 0) + ms });
  }
  return [...places.values()].sort((a, b) => b.ms - a.ms);
}

function keyOf({ functionName, url, lineNumber, columnNumber }: Frame): string {
  return [functionName, url, lineNumber, columnNumber].join('\0');
}

export function describeFrame(frame: Frame | undefined): string {
  if (frame === undefined) return 'no function in half of the samples';
  return `${frame.functionName || '<anonymous>'} ${frame.url}:${frame.lineNumber}`;
}

/** The samples between two times, cut at them. */
export function clip(samples: readonly Sample[], fromMs: number, toMs: number): Sample[] {
  return samples
    .filter(({ startMs, endMs }) => endMs > fromMs && startMs < toMs)
    .map((sample) => ({
      ...sample,
      startMs: Math.max(sample.startMs, fromMs),
      endMs: Math.min(sample.endMs, toMs),
    }));
}

export function sum(samples: readonly Sample[], where: (sample: Sample) => boolean = () => true): number {
  return samples.reduce((total, sample) => (where(sample) ? total + sample.endMs - sample.startMs : total), 0);
}
