import { isOwn, kindsOf, standsAtEntry } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';
import type { WeightedSample } from './weights.js';

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
  return hasApplication(callers) ? callers : [];
}

/**
 * Whether a sample of a thread that slept shows who did: the code of the application or of a dependency is on the stack,
 * or the thread sleeps with work pending. A function at its entry was called after the sleep.
 */
export function showsSleeper({ frames, pending }: Sample): boolean {
  const [top] = frames;
  const wasCalledAfter = top !== undefined && standsAtEntry(top);
  return (pending !== undefined && pending.length > 0) || hasApplication(wasCalledAfter ? frames.slice(1) : frames);
}

/**
 * Whether nothing was on the stack before the sample was taken: it has no frame, or only that of the function which Node
 * or V8 calls next, such as the clean-up of a `FinalizationRegistry`.
 */
export function hasLeftNoStack(sample: Sample): boolean {
  const [top, ...callers] = sample.frames;
  if (showsSleeper(sample) || callers.length > 0) return false;
  return top === undefined || standsAtEntry(top) || kindsOf([top])[0] === 'builtin';
}

function hasApplication(frames: readonly Frame[]): boolean {
  return kindsOf(frames).some((kind) => kind === 'application' || kind === 'dependency');
}

/** Cached, because every step of the attribution needs them. */
const framesBefore = new WeakMap<readonly Frame[], readonly Frame[]>();

/**
 * Time of the longest call from which V8 answered only when the code had left the stack, where that is longer than all
 * that the other samples show: they show no culprit then. Else 0.
 */
export function leftStackMs(samples: readonly WeightedSample[]): number {
  let longestMs = 0;
  let shownMs = 0;
  for (const weighted of samples) {
    if (framesOf(weighted).length > 0) shownMs += weighted.evidenceMs;
    else if (weighted.isLate) longestMs = Math.max(longestMs, weighted.evidenceMs);
  }
  return longestMs > shownMs ? longestMs : 0;
}
