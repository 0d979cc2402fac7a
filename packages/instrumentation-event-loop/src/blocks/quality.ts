import type { Quality } from '../contract/model.js';
import { hasEnoughAnswers, type Culprit } from './culprit.js';
import { sumMs, type Segment } from './segments.js';

/** How far the samples show what ran, and why they show it only as a guess. */
export interface JudgedQuality {
  readonly quality: Quality;
  readonly guess?: string;
}

/** Part of the culprit's time for which answers must be certain. */
const MIN_CERTAIN_SHARE = 0.1;

/**
 * How far the samples show what ran. `post_native` is a guess: most of the culprit's time was answered only after a call
 * that V8 does not interrupt, or the answers are too few, or say nothing else about what ran.
 */
export function qualityOf(all: readonly Segment[], culprit: Culprit | undefined): JudgedQuality {
  if (culprit === undefined && all.every(({ sample }) => sample.frames.length === 0)) return { quality: 'none' };
  const guess = guessOf(all, culprit);
  return guess === undefined ? { quality: 'live' } : { quality: 'post_native', guess };
}

function guessOf(all: readonly Segment[], culprit: Culprit | undefined): string | undefined {
  const segments = culprit?.segments ?? all;
  const shownMs = sumMs(segments, 'shownMs');
  if (sumMs(segments, 'shownMs', ({ isLate }) => isLate) > shownMs / 2) return 'answered only afterwards';
  if (culprit === undefined) return undefined;
  if (!hasEnoughAnswers(segments)) return segments.length === 1 ? '1 answer' : `${segments.length} answers`;
  if (sumMs(segments, 'shownMs', ({ isCertain }) => isCertain) < shownMs * MIN_CERTAIN_SHARE) {
    return 'answered between calls';
  }
  return isSeenTooLate(all, segments) ? 'seen after the first question only' : undefined;
}

/**
 * Whether more of the block came before the first question than the samples show of the culprit, which the first of them
 * does not show: in a short block, a native call that had begun before the question may have blocked for longer.
 */
function isSeenTooLate([first]: readonly Segment[], segments: readonly Segment[]): boolean {
  if (first === undefined || segments.includes(first)) return false;
  return first.ranMs - first.shownMs > sumMs(segments, 'shownMs');
}
