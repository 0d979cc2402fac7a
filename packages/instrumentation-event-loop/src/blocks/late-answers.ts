import type { Sample } from '../contract/model.js';
import { difference } from './thread-times.js';

/**
 * A running thread answers within this time, ms, also on a machine that is overloaded nine times; so each answer stands for
 * at least as long.
 */
export const ANSWER_MS = 0.5;
/**
 * The same for an answer that may be slow: V8 compiles the probe for its first one; caches are cold because the thread has
 * mostly waited for a CPU; or the system does not record how long the thread waits for a CPU before it answers.
 */
const SLOW_ANSWER_MS = 12;

/** What of an answer says when it came. */
type Timed = Pick<Sample, 'sentAt' | 'sentRunQueueMs' | 'takenAt' | 'isFirst' | 'threadTimes'>;

/**
 * Whether the answer took the running thread longer than all that delays an answer of JavaScript: it came after a call
 * that V8 does not interrupt. Collections before it are no such call.
 */
export function isLateAnswer(sample: Timed, collectedMs = 0, isHeldUp = false): boolean {
  const { sentAt, takenAt, isFirst } = sample;
  if (sentAt === undefined) return false;
  const answerMs = takenAt - sentAt;
  const waitedMs = waitToAnswerMs(sample);
  // The thread also waits for a CPU within a collection: each part of the time has its share of the waits.
  const ranMs = (answerMs - collectedMs) * (1 - (waitedMs ?? 0) / answerMs);
  if (isFirst || isHeldUp || waitedMs === undefined) return ranMs > SLOW_ANSWER_MS;
  // V8 says how long a collection took, and not when: how much of it delayed the answer is known to within its length.
  return ranMs > Math.max(ANSWER_MS, Math.min(collectedMs, SLOW_ANSWER_MS));
}

/** How long the thread waited for a CPU between question and answer, ms; undefined where that is not recorded. */
export function waitToAnswerMs({ sentRunQueueMs, threadTimes }: Timed): number | undefined {
  return difference(threadTimes?.runQueueMs, sentRunQueueMs);
}
