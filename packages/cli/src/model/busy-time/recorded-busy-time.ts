import { type BusyAnswers, type BusyPeriod, functionKey } from './busy.js';

/** What answers said: without how often. */
type Said = Omit<BusyAnswers, 'weight' | 'lateWeight'>;

/**
 * Busy time as a recording has it. What the answers say is written once, because the stacks of a program repeat: each
 * period counts how often.
 */
export interface RecordedBusyTime {
  readonly said: readonly Said[];
  readonly periods: readonly RecordedPeriod[];
}

interface RecordedPeriod extends Omit<BusyPeriod, 'answers'> {
  /** Index into `said`, number of answers, and how many of them a native call delayed. */
  readonly counts: readonly (readonly [said: number, weight: number, lateWeight: number])[];
}

export function recordBusyTime(periods: readonly BusyPeriod[]): RecordedBusyTime {
  const indexes = new Map<string, number>();
  const said: Said[] = [];
  const indexOf = (answer: Said): number => {
    const { request, culprit, stack, isInBlock } = answer;
    const key = JSON.stringify([request, functionKey(culprit), culprit?.lineNumber, stack, isInBlock]);
    const known = indexes.get(key) ?? said.length;
    if (known === said.length) {
      said.push(answer);
      indexes.set(key, known);
    }
    return known;
  };
  return {
    periods: periods.map(({ answers, ...period }) => ({
      ...period,
      counts: answers.map(({ weight, lateWeight = 0, ...answer }) => [indexOf(answer), weight, lateWeight] as const),
    })),
    said,
  };
}

/** The periods of a recording; counts of what the recording does not have are ignored. */
export function busyPeriodsOfRecording({ said, periods }: RecordedBusyTime): BusyPeriod[] {
  return periods.map(({ counts, ...period }) => ({
    ...period,
    answers: counts.flatMap(([index, weight, lateWeight]) => {
      const answer = said[index];
      return answer ? [{ ...answer, weight, ...(lateWeight > 0 && { lateWeight }) }] : [];
    }),
  }));
}
