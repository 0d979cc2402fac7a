import { consumerOf, describeCombination, programTree } from '@loopwatch/test-support';
import type { Combination, ProgramTree } from '@loopwatch/test-support';

import { runMeasured } from './collections.ts';
import { programsDirectory } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { causesOf, judge } from './judge.ts';
import type { Miss } from './judge.ts';
import { runPrograms, wasStarved } from './run-programs.ts';
import type { Judgement } from './run-programs.ts';

// More programs at a time would starve each other, and the watchdog takes fewer samples of a starved block.
const concurrentPrograms = 2;

/** A starved program runs again when it missed something. */
const MAX_RUNS = 3;

export interface CorpusJudgement extends Judgement {
  /** The causes that the measurements of this run leave; several where a share is too near to one half. */
  readonly causes: readonly string[];
  /** More than one: the runs before it missed something, and waited for a CPU. */
  readonly runs: number;
}

/** Runs the programs that this Node.js major supports, and judges each. */
export async function runCorpus(
  combination: Combination,
  corpus: readonly Expectation[],
  onJudgement: (judgement: CorpusJudgement) => void = () => undefined,
): Promise<CorpusJudgement[]> {
  const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
  return runPrograms(combination, corpus, concurrentPrograms, (next) => runOne(combination, tree, next), onJudgement);
}

async function runOne(
  combination: Combination,
  tree: ProgramTree,
  expectation: Expectation,
  runs = 1,
): Promise<CorpusJudgement> {
  const result = await runMeasured({
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
  if (misses.length > 0 && wasStarved(result) && runs < MAX_RUNS)
    return runOne(combination, tree, expectation, runs + 1);
  return { combination, expectation, misses, causes: causesOf(expectation, result), runs };
}

/** Whether span, parent, culprit and cause are right. */
export function isHit({ misses }: Pick<Judgement, 'misses'>): boolean {
  return misses.every(({ aspect }) => aspect === 'resource');
}

/** Whether nothing is wrong but a culprit that the block itself calls a guess. */
export function isMarkedGuess(judgement: Pick<Judgement, 'misses'>): boolean {
  return !isHit(judgement) && judgement.misses.every(({ aspect, isMarked }) => aspect === 'resource' || isMarked);
}

/** Whether nothing wrong is said, but something that is known is missing: the cause, the culprit or the parent. */
export function isAbsent(judgement: Pick<Judgement, 'misses'>): boolean {
  if (isHit(judgement) || isMarkedGuess(judgement)) return false;
  return judgement.misses.every((each) => each.aspect === 'resource' || each.isMarked || saysNothing(each));
}

function saysNothing({ aspect, got }: Miss): boolean {
  if (aspect === 'cause') return got === 'unknown';
  if (aspect === 'parent') return got === 'none';
  return aspect === 'culprit' && got.startsWith('undefined ');
}

/** Whether the asynchronous resource is right, which is counted separately. */
export function isResourceHit({ misses }: Pick<Judgement, 'misses'>): boolean {
  return misses.every(({ aspect }) => aspect !== 'resource');
}
