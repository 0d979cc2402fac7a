import { consumerOf, describeCombination, programTree, runProgram } from '@loopwatch/test-support';
import type { Combination, ProgramTree } from '@loopwatch/test-support';

import { programsDirectory } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { judge } from './judge.ts';
import type { Miss } from './judge.ts';

/** The result of a program on one combination of Node.js and SDK. */
export interface Judgement {
  readonly combination: Combination;
  readonly expectation: Expectation;
  readonly misses: readonly Miss[];
}

// More programs at a time would starve each other, and the watchdog takes fewer samples of a starved block.
const concurrentPrograms = 2;

/** A program that waited longer than this for a CPU shows the load of the machine. It runs again when it missed something. */
const starvedMs = 60;
const tries = 3;

/** Runs the programs that this Node.js major supports, and judges each. */
export async function runCorpus(
  combination: Combination,
  corpus: readonly Expectation[],
  onJudgement: (judgement: Judgement) => void = () => undefined,
): Promise<Judgement[]> {
  const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
  const waiting = corpus.filter(({ minimumNodeMajor }) => combination.nodeMajor >= minimumNodeMajor);
  const judgements: Judgement[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const judgement = await runOne(combination, tree, next);
      judgements.push(judgement);
      onJudgement(judgement);
    }
  };
  await Promise.all(Array.from({ length: concurrentPrograms }, runNext));
  return judgements;
}

async function runOne(
  combination: Combination,
  tree: ProgramTree,
  expectation: Expectation,
  triesLeft = tries,
): Promise<Judgement> {
  const result = await runProgram({
    combination,
    tree,
    program: expectation.run,
    flags: expectation.flags,
    telemetry: { http: expectation.http },
  });
  if (result.exitCode !== 0) {
    throw new Error(
      `Expected ${expectation.program} on ${describeCombination(combination)} to exit with 0, ` +
        `got ${result.signal ?? String(result.exitCode)}.\n${result.stderr}`,
    );
  }
  const misses = judge(expectation, result, tree.directory);
  const wasStarved = Number(result.notes.get('runQueueMs') ?? 0) > starvedMs;
  if (misses.length > 0 && wasStarved && triesLeft > 1) return runOne(combination, tree, expectation, triesLeft - 1);
  return { combination, expectation, misses };
}

/** Whether span, parent, culprit and cause are right. */
export function isHit({ misses }: Judgement): boolean {
  return misses.every(({ aspect }) => aspect === 'resource');
}

/** Whether the asynchronous resource is right, which is counted separately. */
export function isResourceHit({ misses }: Judgement): boolean {
  return misses.every(({ aspect }) => aspect !== 'resource');
}
