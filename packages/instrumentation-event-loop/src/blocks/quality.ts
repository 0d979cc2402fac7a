import { isOfNodeOrV8 } from '../contract/frames.js';
import type { Quality } from '../contract/model.js';
import { hasEnoughAnswers, type Culprit } from './culprit.js';
import { NEGLIGIBLE_SHARE } from './limits.js';
import { sumMs, type Segment } from './segments.js';
import { showsOnlyScheduler } from './visible.js';

/** How far the samples show what ran, and why they show it only as a guess. */
export interface JudgedQuality {
  readonly quality: Quality;
  readonly guess?: string;
}

/** What the quality follows from. */
export interface Shown {
  readonly segments: readonly Segment[];
  readonly culprit: Culprit | undefined;
  /** Whether a segment is of the request that took longest. */
  readonly isOfRequest?: (segment: Segment) => boolean;
  /** The watchdog has asked for the first time when most of the block was over. */
  readonly beganUnwatched?: boolean;
}

/** How far the samples show what ran. `post_native` is a guess: what ran for most of the culprit's time is not certain. */
export function qualityOf(shown: Shown): JudgedQuality {
  if (shown.segments.every(({ frames }) => frames.length === 0)) return { quality: 'none' };
  const guess = guessOf(shown);
  return guess === undefined ? { quality: 'live' } : { quality: 'post_native', guess };
}

/** The first reason for which the culprit is a guess. */
function guessOf({ segments: all, culprit, isOfRequest, beganUnwatched }: Shown): string | undefined {
  const segments = culprit?.segments ?? all;
  const ranMs = sumMs(segments, 'ranMs');
  // Of the request that took longest, only the ends of its spans are known.
  if (culprit && isOfRequest && !segments.some(isOfRequest)) return 'of another request';
  if (beganUnwatched === true) return 'asked late';
  if (sumMs(segments, 'computedMs', ({ isLate }) => isLate) > sumMs(segments, 'computedMs') / 2)
    return 'answered only afterwards';
  if (culprit && !hasEnoughAnswers(segments)) return segments.length === 1 ? '1 answer' : `${segments.length} answers`;
  // What V8 answers at the entry of a function shows its callers at work, and of Node's own functions none.
  const leastShare = culprit && isOfNodeOrV8(culprit.frame) ? 1 / 2 : NEGLIGIBLE_SHARE;
  if (sumMs(segments, 'ranMs', ({ isCertain }) => isCertain) < ranMs * leastShare) {
    return 'answered between calls';
  }
  // The few answers that show code favour the callbacks in which V8 can be interrupted.
  if (culprit && sumMs(all, 'ranMs', ({ frames }) => showsOnlyScheduler(frames)) > sumMs(all, 'ranMs') / 2) {
    return 'answered between calls';
  }
  return culprit?.source.isCompiled === true ? 'line of compiled code' : undefined;
}
