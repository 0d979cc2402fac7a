import { expect, test } from '@jest/globals';
import { consumerOf, describeCombination, ofTier, programTree, runProgram } from '@loopwatch/test-support';

import { nextNode } from '../integration/next-node.ts';
import { node20, node24, node26 } from '../integration/thread-support.ts';
import { CORPUS_TIMEOUT_MS, linesOf } from './expect-accuracy.ts';
import { programsDirectory, readCorpus } from './expectation.ts';
import { judge } from './judge.ts';
import { isHit, isMarkedGuess } from './run-corpus.ts';
import type { Judgement } from './run-programs.ts';

/** Threads are stopped in blocks of this length, ms, and longer. */
const LONG_MS = 500;
const REQUIRED_SHARE = 0.9;

const combinations = ofTier([node20, node24, node26]);

test.each(combinations.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: at least 90 % of the long blocks are right where the watchdog stops threads to ask them',
  async (_label, combination) => {
    const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
    const { flags, env } = nextNode({ isKnown: true });
    const judgements: Judgement[] = [];
    for (const expectation of readCorpus()) {
      if (combination.nodeMajor < expectation.minimumNodeMajor || expectation.isSilent) continue;
      const result = await runProgram({
        combination,
        tree,
        program: expectation.run,
        flags: [...flags, ...expectation.flags],
        telemetry: { http: expectation.http },
        env,
      });
      expect([expectation.program, result.exitCode]).toEqual([expectation.program, 0]);
      const lengths = result.truths.map(({ startEpochMs, endEpochMs }) => endEpochMs - startEpochMs);
      if (Math.max(...lengths) < LONG_MS) continue;
      judgements.push({ combination, expectation, misses: judge(expectation, result, tree.directory) });
    }
    const missed = judgements.filter((judgement) => !isHit(judgement) && !isMarkedGuess(judgement));
    process.stderr.write(`${judgements.length} long blocks, ${missed.length} wrong\n`);
    expect(judgements.length).toBeGreaterThan(5);
    expect(missed.length > judgements.length * (1 - REQUIRED_SHARE) ? linesOf(missed) : []).toEqual([]);
  },
  CORPUS_TIMEOUT_MS,
);
