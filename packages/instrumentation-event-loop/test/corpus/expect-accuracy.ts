import { expect } from '@jest/globals';
import type { Combination } from '@loopwatch/test-support';

import { readCorpus } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { readResult } from './results.ts';
import { isHit, isMarkedGuess, isResourceHit, runCorpus } from './run-corpus.ts';
import type { Judgement } from './run-programs.ts';

export const REQUIRED_SHARE = 0.95;

/** In a third of the corpus: 2 in a hundred. */
const MAX_BY_HOST = 1;

/** The timeout of a run over the corpus, ms. */
export const CORPUS_TIMEOUT_MS = 300_000;

/**
 * Runs the corpus and expects the required share of right span, parent, culprit and cause. Wrong culprits that are marked
 * as a guess are counted apart, with the same bound.
 */
export async function expectAccuracy(combination: Combination, corpus = readCorpus()): Promise<void> {
  const judgements = await runCorpus(combination, corpus);
  const guessed = judgements.filter(isMarkedGuess);
  const missed = judgements.filter((judgement) => !isHit(judgement) && !guessed.includes(judgement));
  const withoutResource = judgements.filter((judgement) => !isResourceHit(judgement));
  const allowed = Math.floor(judgements.length * (1 - REQUIRED_SHARE));

  // Compares lines and not counts, so that a failure shows them.
  expect(missed.length > allowed ? linesOf(missed) : []).toEqual([]);
  expect(guessed.length > allowed ? linesOf(guessed) : []).toEqual([]);
  expect(withoutResource.length > allowed ? linesOf(withoutResource) : []).toEqual([]);
}

/**
 * Runs the programs and expects that those which were right when the accuracy page was written are right: as many may miss
 * something, or have a culprit that is marked as a guess, as a busy host explains.
 */
export async function expectAsAccepted(combination: Combination, corpus: readonly Expectation[]): Promise<void> {
  const accepted = readResult(combination)?.programs ?? {};
  const wasRight = corpus.filter(({ program }) => accepted[program]?.misses.length === 0);
  expect(wasRight.length).toBeGreaterThan(corpus.length * 0.9);
  const judgements = await runCorpus(combination, wasRight);
  const missed = judgements.filter(({ misses }) => misses.length > 0);
  expect(missed.length > MAX_BY_HOST ? linesOf(missed) : []).toEqual([]);
}

/** One readable line for each miss, for the message of a failed test. */
export function linesOf(judgements: readonly Judgement[]): string[] {
  return judgements.flatMap(({ expectation, misses }) =>
    misses.map(({ aspect, expected, got }) => `${expectation.program} ${aspect}: expected ${expected}, got ${got}`),
  );
}
