import { expect, test } from '@jest/globals';
import { consumerOf, describeCombination, ofTier, programTree, runProgram } from '@loopwatch/test-support';
import type { RunResult } from '@loopwatch/test-support';

import { nextNode } from '../integration/next-node.ts';
import { node20, node24, node26 } from '../integration/thread-support.ts';
import { CORPUS_TIMEOUT_MS, linesOf } from './expect-accuracy.ts';
import { programsDirectory, readCorpus } from './expectation.ts';
import { judge } from './judge.ts';
import { isHit, isMarkedGuess } from './run-corpus.ts';
import { runPrograms, wasStarved } from './run-programs.ts';

/** Threads are stopped in blocks of this length, ms, and longer. */
const LONG_MS = 500;
const REQUIRED_SHARE = 0.9;
/** What `Debugger.enable` takes at most with the scripts of these programs, ms: foundations.md has figures. */
const HELD_MS = 270;
const CONCURRENT_PROGRAMS = 2;
const TRIES = 3;

const combinations = ofTier([node20, node24, node26]);
const programs = readCorpus().filter(({ isSilent }) => !isSilent);

test.each(combinations.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: at least 90 % of the long blocks are right where the watchdog stops threads to ask them',
  async (_label, combination) => {
    const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
    const { flags, env } = nextNode({ isKnown: true });
    const long = new Set<string>();
    const judgements = await runPrograms(
      combination,
      programs,
      CONCURRENT_PROGRAMS,
      async (expectation) => {
        for (let triesLeft = TRIES; ; triesLeft--) {
          const result = await runProgram({
            combination,
            tree,
            program: expectation.run,
            flags: [...flags, ...expectation.flags],
            telemetry: { http: expectation.http },
            env,
          });
          expect([expectation.program, result.exitCode]).toEqual([expectation.program, 0]);
          if (lengthOf(result) >= LONG_MS) long.add(expectation.program);
          const misses = judge(expectation, { ...result, heldMs: HELD_MS }, tree.directory);
          if (misses.length === 0 || triesLeft === 1 || !wasStarved(result))
            return { combination, expectation, misses };
        }
      },
      () => undefined,
    );
    const ofLong = judgements.filter(({ expectation }) => long.has(expectation.program));
    const missed = ofLong.filter((judgement) => !isHit(judgement) && !isMarkedGuess(judgement));
    expect(ofLong.length).toBeGreaterThan(5);
    expect(missed.length > ofLong.length * (1 - REQUIRED_SHARE) ? linesOf(missed) : []).toEqual([]);
  },
  2 * CORPUS_TIMEOUT_MS,
);

function lengthOf({ truths }: RunResult): number {
  return Math.max(...truths.map(({ startEpochMs, endEpochMs }) => endEpochMs - startEpochMs));
}
