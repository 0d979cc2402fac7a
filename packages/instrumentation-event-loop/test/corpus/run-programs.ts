import type { Combination, RunResult } from '@loopwatch/test-support';

import type { Expectation } from './expectation.ts';
import type { Miss } from './judge.ts';

/** The result of a program on one combination of Node.js and SDK. */
export interface Judgement {
  readonly combination: Combination;
  readonly expectation: Expectation;
  readonly misses: readonly Miss[];
}

/** A program that waited longer than this for a CPU, ms, shows the load of the machine. */
const starvedMs = 60;

export function wasStarved({ notes }: RunResult): boolean {
  return Number(notes.get('runQueueMs') ?? 0) > starvedMs;
}

/** Runs the programs that this Node.js major supports, as many at a time as said, and returns the judgement of each. */
export async function runPrograms<T extends Judgement>(
  { nodeMajor }: Combination,
  corpus: readonly Expectation[],
  concurrentPrograms: number,
  runOne: (expectation: Expectation) => Promise<T>,
  onJudgement: (judgement: T) => void,
): Promise<T[]> {
  const waiting = corpus.filter(({ minimumNodeMajor }) => nodeMajor >= minimumNodeMajor);
  const judgements: T[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const judgement = await runOne(next);
      judgements.push(judgement);
      onJudgement(judgement);
    }
  };
  await Promise.all(Array.from({ length: concurrentPrograms }, runNext));
  return judgements;
}
