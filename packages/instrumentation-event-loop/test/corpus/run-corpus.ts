import { consumerOf, describeCombination, programTree, runProgram } from '@loopwatch/test-support';
import type { Combination, ProgramTree } from '@loopwatch/test-support';

import { programsDirectory } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { judge } from './judge.ts';
import type { Miss } from './judge.ts';

/** A program on one combination of Node and SDK. */
export interface Judgement {
  readonly combination: Combination;
  readonly expectation: Expectation;
  readonly misses: readonly Miss[];
}

// More at a time would starve each other, and a starved block is another block.
const atATime = 2;

/** A program that waited longer than this for a CPU says more of the machine than of us: what it missed is tried again. */
const starvedMs = 60;
const tries = 3;

/** Runs the programs that this Node can run, and judges each. */
export async function runCorpus(
  combination: Combination,
  corpus: readonly Expectation[],
  onVerdict: (verdict: Judgement) => void = () => undefined,
): Promise<Judgement[]> {
  const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
  const waiting = corpus.filter(({ minimumNodeMajor }) => combination.nodeMajor >= minimumNodeMajor);
  const pendingBlocks: Judgement[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const verdict = await runOne(combination, tree, next);
      pendingBlocks.push(verdict);
      onVerdict(verdict);
    }
  };
  await Promise.all(Array.from({ length: atATime }, runNext));
  return pendingBlocks;
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

/** A block is hit when span, parent, culprit and cause are right. */
export function isHit({ misses }: Judgement): boolean {
  return misses.every(({ aspect }) => aspect === 'resource');
}

/** The asynchronous resource is counted apart. */
export function isResourceHit({ misses }: Judgement): boolean {
  return misses.every(({ aspect }) => aspect !== 'resource');
}
