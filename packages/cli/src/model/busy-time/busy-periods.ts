import { groupBy } from '../collections.js';
import { type BusyAnswers, type BusyPeriod, functionKey } from './busy.js';

/** Two neighbours each as one, for fewer periods. The last stays as it is where their number is odd. */
export function halvePeriods(periods: readonly BusyPeriod[]): BusyPeriod[] {
  const pairs = groupBy([...periods.entries()], ([index]) => Math.floor(index / 2));
  return [...pairs.values()].map((pair) => pair.map(([, period]) => period).reduce(joined));
}

function joined(a: BusyPeriod, b: BusyPeriod): BusyPeriod {
  const answerCount = sumOf(a.answerCount, b.answerCount);
  const runQueueMs = sumOf(a.runQueueMs, b.runQueueMs);
  const gcMs = sumOf(a.gcMs, b.gcMs);
  const gcMeasuredMs = sumOf(a.gcMeasuredMs, b.gcMeasuredMs);
  return limitAnswers({
    ...a,
    startMs: Math.min(a.startMs, b.startMs),
    endMs: Math.max(a.endMs, b.endMs),
    busyMs: a.busyMs + b.busyMs,
    ...(runQueueMs !== undefined && { runQueueMs }),
    ...(gcMs !== undefined && { gcMs }),
    ...(gcMeasuredMs !== undefined && { gcMeasuredMs }),
    ...(answerCount !== undefined && { answerCount }),
    answers: [...a.answers, ...b.answers],
  });
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** How many kinds of answers are kept apart in a period: the rarest lose their stack, then their function, their request. */
const LEVELS: readonly { readonly max: number; readonly of: (answer: BusyAnswers) => BusyAnswers }[] = [
  { max: 140, of: (answer) => answer },
  { max: 40, of: ({ stack: _stack, ...answer }) => answer },
  { max: 16, of: ({ stack: _stack, culprit: _culprit, ...answer }) => answer },
  // In a block or not.
  { max: 4, of: ({ stack: _stack, culprit: _culprit, request: _request, ...answer }) => answer },
];
export const MAX_ANSWERS_OF_PERIOD = LEVELS.reduce((sum, { max }) => sum + max, 0);

/** The period with equal answers added up, and a bounded number of them. Their weight stays the same. */
export function limitAnswers(period: BusyPeriod): BusyPeriod {
  let kept: BusyAnswers[] = [];
  let rest: readonly BusyAnswers[] = period.answers;
  for (const { max, of } of LEVELS) {
    const summed = addedUp(rest.map(of));
    kept = [...kept, ...summed.slice(0, max)];
    rest = summed.slice(max);
  }
  return { ...period, answers: addedUp(kept) };
}

/** Most frequent first. */
function addedUp(answers: readonly BusyAnswers[]): BusyAnswers[] {
  return [...groupBy(answers, answerKey).values()]
    .map((same) => {
      const lateWeight = same.reduce((sum, answer) => sum + (answer.lateWeight ?? 0), 0);
      const weight = same.reduce((sum, answer) => sum + answer.weight, 0);
      return { ...same[0]!, weight, ...(lateWeight > 0 && { lateWeight }) };
    })
    .sort((a, b) => b.weight - a.weight);
}

function answerKey({ request, culprit, stack, isInBlock }: BusyAnswers): string {
  return JSON.stringify([request, functionKey(culprit), culprit?.lineNumber, stack, isInBlock]);
}
