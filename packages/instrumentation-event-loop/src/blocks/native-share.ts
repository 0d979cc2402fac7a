import { LONG_CALL_MS, type WeightedSample } from './weights.js';

/**
 * An answer that took longer than this, ms, has waited for the end of a native call. JavaScript answers within 0.1 ms,
 * also on an overloaded machine; where it takes longer, as on a slow one, the limit follows the fastest answer.
 */
const MIN_SLOW_MS = 0.2;
const SLOW_BY_FASTEST = 3;
/** What an answer takes at most without such a wait, ms: the fastest of a block may have waited, too. */
const MAX_OWN_MS = 0.17;

/** On a starved host, fewer answers than this part are known, and each took long for the same reason. */
const MIN_CLEAR_SHARE = 1 / 3;

/** Which samples show a native call, where their answer alone shows it. */
type NativeTest = (weighted: WeightedSample) => boolean;

/**
 * Share of native calls in the time of a block, as far as its samples show it; undefined without samples. Of long calls,
 * the time is known. Of the rest, the answers that no wait hides show the share, also for the time before the first
 * question.
 */
export function nativeShare(samples: readonly WeightedSample[], isNative: NativeTest): number | undefined {
  const totalMs = sumOf(samples, 'ranMs');
  if (totalMs === 0) return undefined;
  const isLongCall = (weighted: WeightedSample): boolean => isLong(weighted) && isNative(weighted);
  const longMs = sumOf(samples.filter(isLongCall), 'ranMs');
  const others = samples.filter((weighted) => !isLongCall(weighted));
  const clear = others.filter(({ answerMs }) => answerMs !== undefined);
  const otherMs =
    clear.length >= others.length * MIN_CLEAR_SHARE && clear.length > 0
      ? (totalMs - longMs) * shareOfAnswers(clear, isNative)
      : sumOf(others.filter(isNative), 'ranMs');
  return (longMs + otherMs) / totalMs;
}

function isLong({ answerMs = 0 }: WeightedSample): boolean {
  return answerMs > LONG_CALL_MS;
}

function shareOfAnswers(samples: readonly WeightedSample[], isNative: NativeTest): number {
  const ownMs = Math.min(MAX_OWN_MS, ...samples.map(({ answerMs = Infinity }) => Math.max(0, answerMs)));
  const slowMs = Math.max(MIN_SLOW_MS, ownMs * SLOW_BY_FASTEST);
  const isSlow = ({ answerMs = 0 }: WeightedSample): boolean => answerMs > slowMs;
  const slow = samples.filter((weighted) => isSlow(weighted) && (isNative(weighted) || !weighted.isLate));
  const others = samples.filter((weighted) => !slow.includes(weighted) && isNative(weighted));
  const nativeMs = sumOf(slow, 'evidenceMs') * answersPerSlowOne(slow, slowMs, ownMs) + sumOf(others, 'evidenceMs');
  return Math.min(1, nativeMs / Math.max(sumOf(samples, 'evidenceMs'), Number.MIN_VALUE));
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

function sumOf(samples: readonly WeightedSample[], time: 'ranMs' | 'evidenceMs'): number {
  return samples.reduce((sum, weighted) => sum + weighted[time], 0);
}
