import { functionKey, kindOf, standsAtEntry } from '../contract/frames.js';
import type { Quality } from '../contract/model.js';
import type { Culprit } from './culprit.js';
import type { Occurrence } from './shares.js';
import { framesOf } from './visible-frames.js';
import type { WeightedSample } from './weights.js';

/**
 * How far the samples show what ran. `post_native` is a guess: most of the culprit's time was answered only after a call
 * that V8 does not interrupt, or says nothing else about what ran.
 */
export function qualityOf(all: readonly WeightedSample[], culprit: Culprit | undefined): Quality {
  if (culprit === undefined && all.every(({ sample }) => sample.frames.length === 0)) return 'none';
  const samples = culprit?.samples ?? all;
  // The time before the first question, up to half of a short block, says nothing about the answers.
  const lateMs = timeOf(samples, ({ isLate }) => isLate);
  if (lateMs > timeOf(samples, () => true) / 2) return 'post_native';
  const isGuess = culprit !== undefined && (isSeenAfterCollections(culprit) || isSeenAtCallsOnly(culprit));
  return isGuess ? 'post_native' : 'live';
}

/** A collection that delayed an answer by more than this, ms. */
const MIN_COLLECTION_MS = 1;

/**
 * Whether most of the culprit's time was answered only after a garbage collection, each time in another function. V8
 * answers at the next call or end of a loop after a collection, which favours small functions and shows by chance what
 * made the garbage. Where most answers come from one function, that function made it.
 */
function isSeenAfterCollections({ occurrences }: Culprit): boolean {
  const after = occurrences.filter(({ weighted }) => !weighted.isLate && weighted.gcMs > MIN_COLLECTION_MS);
  const afterMs = evidenceMsOf(after);
  if (afterMs < evidenceMsOf(occurrences) / 2) return false;
  const times = new Map<string, number>();
  for (const { weighted, innermost } of after) {
    const key = functionKey(innermost);
    times.set(key, (times.get(key) ?? 0) + weighted.evidenceMs);
  }
  return Math.max(...times.values()) < afterMs / 2;
}

/**
 * Whether the samples show the culprit never at work itself, but most of the time at the entry of a function of Node
 * that it calls, and otherwise in another function that it calls. What runs before such an entry is the culprit's own
 * code, or optimised code of that other function, which V8 interrupts only after it has returned.
 */
function isSeenAtCallsOnly({ occurrences }: Culprit): boolean {
  let atCallsMs = 0;
  let inOthersMs = 0;
  for (const { weighted, frame, innermost } of occurrences) {
    const [top] = framesOf(weighted);
    if (functionKey(innermost) !== functionKey(frame)) inOthersMs += weighted.evidenceMs;
    else if (top !== undefined && kindOf(top) === 'internal' && standsAtEntry(top)) atCallsMs += weighted.evidenceMs;
    else return false;
  }
  return inOthersMs > 0 && atCallsMs > inOthersMs;
}

function evidenceMsOf(occurrences: readonly Occurrence[]): number {
  return occurrences.reduce((sum, { weighted }) => sum + weighted.evidenceMs, 0);
}

function timeOf(samples: readonly WeightedSample[], test: (weighted: WeightedSample) => boolean): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.evidenceMs : sum), 0);
}
