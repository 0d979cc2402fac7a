import type { WeightedSample } from './weights.js';

/**
 * An answer that took longer than this, ms, has waited for the end of a native call. JavaScript answers within 0.1 ms,
 * also on an overloaded machine; where it takes longer, as on a slow one, the limit follows the fastest answer.
 */
const MIN_SLOW_MS = 0.2;
const SLOW_BY_FASTEST = 3;
/** What an answer takes at most without such a wait, ms: the fastest of a block may have waited, too. */
const MAX_OWN_MS = 0.17;

/** An answer that was delayed by more than this, ms, is one of a call that had begun before the question. */
const LONG_CALL_MS = 10;

/** Which samples show a native call, where their answer alone shows it. */
type NativeTest = (weighted: WeightedSample) => boolean;

/**
 * Share of native calls in the time of a block, as far as its samples show it; undefined without samples. Answers that a
 * wait for a CPU hides say nothing, and the others stand for them.
 */
export function nativeShare(samples: readonly WeightedSample[], isNative: NativeTest): number | undefined {
  const clear = samples.filter(({ answerMs }) => answerMs !== undefined);
  const counted = timeOf(clear) > 0 ? clear : samples;
  const totalMs = timeOf(counted);
  if (totalMs === 0) return undefined;
  const ownMs = Math.min(MAX_OWN_MS, ...counted.map(({ answerMs }) => Math.max(0, answerMs ?? Infinity)));
  const slowMs = Math.max(MIN_SLOW_MS, ownMs * SLOW_BY_FASTEST);
  const isSlow = ({ answerMs }: WeightedSample): boolean => answerMs !== undefined && answerMs > slowMs;
  const slow = counted.filter((weighted) => isSlow(weighted) && (isNative(weighted) || !weighted.isLate));
  const others = counted.filter((weighted) => !slow.includes(weighted) && isNative(weighted));
  return Math.min(1, (timeOf(slow) * answersPerSlowOne(slow, slowMs, ownMs) + timeOf(others)) / totalMs);
}

/**
 * How many answers of native calls there are for each slow one: those that a question has hit in their last moments are
 * as quick as JavaScript. The slow ones show how long the calls are, as a question comes at any moment of a call. More
 * than two there cannot be for each: shorter calls are not distinguished from JavaScript.
 */
function answersPerSlowOne(slow: readonly WeightedSample[], slowMs: number, ownMs: number): number {
  if (slow.length === 0) return 1;
  const meanMs = slow.reduce((sum, { answerMs }) => sum + answerMs!, 0) / slow.length;
  const quickMs = slowMs - ownMs;
  const callMs = 2 * (meanMs - ownMs) - quickMs;
  return callMs / Math.max(callMs - quickMs, callMs / 2);
}

/** The time before the first question, up to half of a short block, says nothing about calls that are shorter. */
function timeOf(samples: readonly WeightedSample[]): number {
  return samples.reduce(
    (sum, { answerMs = 0, weightMs, evidenceMs }) => sum + (answerMs > LONG_CALL_MS ? weightMs : evidenceMs),
    0,
  );
}
