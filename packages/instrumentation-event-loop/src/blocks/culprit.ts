import { functionKey, isAnonymous, isOwn, kindOf, kindsOf, standsAtEntry, type FrameKind } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';
import type { WeightedSample } from './weights.js';

/** A sample that shows a function, with its topmost frame. */
export interface Occurrence {
  readonly weighted: WeightedSample;
  readonly frame: Frame;
}

export interface Culprit {
  readonly frame: Frame;
  /** The samples that show the culprit. */
  readonly samples: readonly WeightedSample[];
  readonly occurrences: readonly Occurrence[];
  /** The most frequent stack among them. */
  readonly stack: readonly Frame[];
}

/**
 * The frames of the code that ran before the sample. After a native call, V8 runs the probe at the entry of the next
 * function that is called: that function has not run yet, so its frame is removed, and so is one of this package. Where
 * then only Node or telemetry is left, the code that ran before has left the stack, and no frame is returned.
 */
export function framesOf({ sample, isLate }: WeightedSample): readonly Frame[] {
  const { frames } = sample;
  const [top] = frames;
  if (!isLate || top === undefined) return frames;
  let before = framesBefore.get(frames);
  if (before === undefined) {
    before = isOwn(top) || standsAtEntry(top) ? callersOf(frames) : frames;
    framesBefore.set(frames, before);
  }
  return before;
}

function callersOf(frames: readonly Frame[]): readonly Frame[] {
  const callers = frames.slice(1);
  return kindsOf(callers).some((kind) => kind === 'application' || kind === 'dependency') ? callers : [];
}

/** Cached, because every step of the attribution needs them. */
const framesBefore = new WeakMap<readonly Frame[], readonly Frame[]>();

/** A stack of the code that ran before a sample, with the kind of each frame. */
interface Candidate {
  readonly weighted: WeightedSample;
  readonly frames: readonly Frame[];
  readonly kinds: readonly FrameKind[];
}

/**
 * Whether code had left the stack before V8 answered that ran, in one call, for longer than all that the other samples
 * show: they show no culprit then.
 */
export function hasLeftStack(samples: readonly WeightedSample[]): boolean {
  let longestMs = 0;
  let shownMs = 0;
  for (const weighted of samples) {
    if (framesOf(weighted).length > 0) shownMs += weighted.evidenceMs;
    else if (weighted.isLate) longestMs = Math.max(longestMs, weighted.evidenceMs);
  }
  return longestMs > shownMs;
}

/**
 * Finds the deepest function that was on the stack for at least half of the sampled time, and of the time before the
 * first sample as far as that shows. Application code comes before `node_modules`, `node_modules` before telemetry, and
 * telemetry before Node's own code. Where no function reaches half of the time, the culprit is the function that was on
 * top for longest.
 */
export function findCulprit(samples: readonly WeightedSample[]): Culprit | undefined {
  const candidates = samples.map((weighted): Candidate => {
    const frames = framesOf(weighted);
    return { weighted, frames, kinds: kindsOf(frames) };
  });
  const kind = kindOfCulprit(candidates);
  if (kind === undefined) return undefined;

  const shares = new Map<string, Share>();
  let totalMs = 0;
  for (const { weighted, frames, kinds } of candidates) {
    const named = nameableFrames(frames, kinds, kind);
    if (named.length > 0) totalMs += weighted.evidenceMs;
    named.forEach((frame, distance) => {
      const key = isOwn(frame) ? OWN_KEY : functionKey(frame);
      let share = shares.get(key);
      if (share === undefined) {
        share = { inclusiveMs: 0, unsampledMs: 0, topMs: 0, distanceMs: 0, occurrences: [] };
        shares.set(key, share);
      }
      if (share.occurrences.at(-1)?.weighted === weighted) return; // recursion
      share.inclusiveMs += weighted.evidenceMs;
      share.distanceMs += weighted.evidenceMs * distance;
      if (distance === 0) share.topMs += weighted.evidenceMs;
      share.occurrences.push({ weighted, frame });
    });
  }

  const unsampledMs = addUnsampled([...shares.values()], candidates[0], totalMs);
  const share = deepestOfMajority([...shares.values()], totalMs + unsampledMs);
  if (!share) return undefined;
  const frame = frameOfMainLine(share.occurrences);
  if (!frame) return undefined;
  const { occurrences } = share;
  const culpritSamples = occurrences.map(({ weighted }) => weighted);
  return { frame, samples: culpritSamples, occurrences, stack: mostFrequentStack(culpritSamples) };
}

/** The sequence of functions with the most time among the samples, with the frames of its heaviest sample. */
export function mostFrequentStack(samples: readonly WeightedSample[]): readonly Frame[] {
  const stacks: { frames: readonly Frame[]; weightMs: number; sampleMs: number }[] = [];
  for (const weighted of samples) {
    const frames = framesOf(weighted);
    if (frames.length === 0) continue;
    const same = stacks.find((stack) => areSameFunctions(stack.frames, frames));
    if (same === undefined) {
      stacks.push({ frames, weightMs: weighted.evidenceMs, sampleMs: weighted.evidenceMs });
      continue;
    }
    same.weightMs += weighted.evidenceMs;
    if (weighted.evidenceMs <= same.sampleMs) continue;
    same.sampleMs = weighted.evidenceMs;
    same.frames = frames;
  }
  return heaviest(stacks)?.frames ?? [];
}

function areSameFunctions(a: readonly Frame[], b: readonly Frame[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i] || functionKey(frame) === functionKey(b[i]!));
}

/** The time of one candidate function. */
interface Share {
  /** Time in the function and in the functions that it called. */
  inclusiveMs: number;
  /** Its part of the time before the first sample. */
  unsampledMs: number;
  /** Time in which no other candidate was above it on the stack. */
  topMs: number;
  /** Time multiplied by the number of candidates above it: divided by `inclusiveMs`, its mean distance from the top. */
  distanceMs: number;
  readonly occurrences: Occurrence[];
}

/** The first frame of the line with the most time. */
function frameOfMainLine(occurrences: readonly Occurrence[]): Frame | undefined {
  const lines = new Map<number, { frame: Frame; weightMs: number }>();
  for (const { weighted, frame } of occurrences) {
    const line = lines.get(frame.lineNumber);
    if (line) line.weightMs += weighted.evidenceMs;
    else lines.set(frame.lineNumber, { frame, weightMs: weighted.evidenceMs });
  }
  return heaviest([...lines.values()])?.frame;
}

/**
 * Gives each function of the first sample its part of the time before the first question, and returns that time. A
 * function that the first sample does not show had not begun then: in a short block, what ran after the first question
 * is not yet what ran for half of the block. One that it shows gets only the share that it has of the sampled time,
 * since it may have been called again and again.
 */
function addUnsampled(shares: readonly Share[], first: Candidate | undefined, sampledMs: number): number {
  if (first === undefined || sampledMs === 0) return 0;
  const ofFirst = shares.filter(({ occurrences }) => occurrences[0]?.weighted === first.weighted);
  const [top] = ofFirst;
  if (top === undefined) return 0;
  const unsampledMs = first.weighted.weightMs - first.weighted.evidenceMs;
  for (const share of ofFirst) share.unsampledMs = (unsampledMs * share.inclusiveMs) / sampledMs;
  // Without a majority, what was on top at the first question is the best guess for all of that time.
  top.topMs += unsampledMs;
  return unsampledMs;
}

function deepestOfMajority(shares: readonly Share[], totalMs: number): Share | undefined {
  const majority = shares.filter((share) => share.inclusiveMs + share.unsampledMs >= totalMs / 2);
  if (majority.length === 0)
    return shares.reduce<Share | undefined>((a, b) => (a && a.topMs >= b.topMs ? a : b), undefined);
  const depth = (share: Share): number => (share.inclusiveMs > 0 ? share.distanceMs / share.inclusiveMs : Infinity);
  return majority.reduce((a, b) => (depth(b) < depth(a) ? b : a));
}

function heaviest<T extends { weightMs: number }>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>((a, b) => (a && a.weightMs >= b.weightMs ? a : b), undefined);
}

/** All functions of this package are one candidate: which of them it was says nothing about the application. */
const OWN_KEY = 'own';

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

/** The first of the kinds for which that kind, or one before it, is on the stack for at least half of the time. */
function kindOfCulprit(candidates: readonly Candidate[]): FrameKind | undefined {
  const timesMs = KINDS_IN_ORDER.map(() => 0);
  let totalMs = 0;
  for (const { weighted, kinds } of candidates) {
    const first = KINDS_IN_ORDER.findIndex((kind) => kinds.includes(kind));
    if (first < 0) continue;
    timesMs[first]! += weighted.evidenceMs;
    totalMs += weighted.evidenceMs;
  }
  if (totalMs === 0) return undefined;
  let sumMs = 0;
  return KINDS_IN_ORDER.find((_, i) => (sumMs += timesMs[i]!) >= totalMs / 2);
}

/** The frames of that kind, top first. An anonymous callback is replaced by the named function that encloses it. */
function nameableFrames(frames: readonly Frame[], kinds: readonly FrameKind[], kind: FrameKind): Frame[] {
  const named: Frame[] = [];
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i];
    // A helper of the telemetry, such as a serialiser, is not named: the package that calls it is.
    if (!frame || kinds[i] !== kind || kindOf(frame) !== kind) continue;
    named.push(isAnonymous(frame) ? (enclosingFunction(frames, i) ?? frame) : frame);
  }
  return named;
}

/**
 * Finds the function whose source encloses an anonymous callback: for `logs.find((log) => …)` in `createSpans`, the
 * frame of `createSpans`. Among the callers in the same file, it is the function that begins last, but not after the
 * callback.
 */
function enclosingFunction(frames: readonly Frame[], index: number): Frame | undefined {
  const callback = frames[index];
  if (!callback) return undefined;
  let enclosing: { readonly frame: Frame; readonly index: number } | undefined;
  let isDirect = true;
  for (let i = index + 1; i < frames.length; i++) {
    const caller = frames[i];
    if (!caller || kindOf(caller) === 'builtin' || caller.evaluated !== undefined) continue;
    if (caller.fileName !== callback.fileName) {
      isDirect = false; // a library calls the callback: the library's caller is not always the callback's author
      continue;
    }
    const offset = callback.functionLineNumber - caller.lineNumber;
    if (!isDirect && (offset < 0 || offset > 1)) break;
    if (beginsAfter(caller, callback)) continue;
    if (!enclosing || beginsAfter(caller, enclosing.frame)) enclosing = { frame: caller, index: i };
  }
  if (!enclosing) return undefined;
  return isAnonymous(enclosing.frame) ? enclosingFunction(frames, enclosing.index) : enclosing.frame;
}

function beginsAfter(a: Frame, b: Frame): boolean {
  const lines = a.functionLineNumber - b.functionLineNumber;
  return lines > 0 || (lines === 0 && a.functionColumnNumber > b.functionColumnNumber);
}

/** Type of the asynchronous resource with the most time among the samples. */
export function mainAsyncResource(samples: readonly WeightedSample[]): string {
  const weights = new Map<Sample['asyncResource'], number>();
  for (const { sample, weightMs } of samples) {
    weights.set(sample.asyncResource, (weights.get(sample.asyncResource) ?? 0) + weightMs);
  }
  return heaviest([...weights].map(([name, weightMs]) => ({ name, weightMs })))?.name ?? '';
}
