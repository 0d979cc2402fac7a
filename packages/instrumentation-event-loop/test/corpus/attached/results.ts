import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { combinationPerMajor } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import type { Expectation } from '../expectation.ts';
import type { Miss } from '../judge.ts';
import type { Judgement } from '../run-programs.ts';

/** The newest result of each program on one Node major, as it is kept beside this file. */
export interface AttachedResult {
  readonly combination: Combination;
  readonly missesOf: Readonly<Record<string, readonly Miss[]>>;
}

const directory = path.join(import.meta.dirname, 'results');
const fileOf = ({ nodeMajor }: Combination): string => path.join(directory, `node-${nodeMajor}.json`);

function readResult(combination: Combination): AttachedResult {
  const file = fileOf(combination);
  if (!existsSync(file)) return { combination, missesOf: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as AttachedResult;
}

/** Replaces the results of these programs, and keeps those of the others. */
export function writeResults(combination: Combination, judgements: readonly Judgement[]): void {
  const known = Object.entries(readResult(combination).missesOf);
  const added = judgements.map(({ expectation, misses }) => [expectation.program, misses] as const);
  const missesOf = Object.fromEntries(
    [...new Map([...known, ...added])].sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  mkdirSync(directory, { recursive: true });
  writeFileSync(fileOf(combination), `${JSON.stringify({ combination, missesOf }, undefined, 2)}\n`);
}

/** The results of all majors; undefined when one is missing: the document describes all programs on all of them. */
export function readResults(corpus: readonly Expectation[]): AttachedResult[] | undefined {
  const results = combinationPerMajor.map(readResult);
  const isComplete = results.every(({ combination, missesOf }) =>
    corpus.every(({ program, minimumNodeMajor }) => combination.nodeMajor < minimumNodeMajor || missesOf[program]),
  );
  return isComplete ? results : undefined;
}
