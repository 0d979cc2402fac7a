import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { combinationPerMajor, describeMachine } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import type { Miss } from './judge.ts';
import type { Times } from './measure-times.ts';
import type { CorpusJudgement } from './run-corpus.ts';

/** The newest result of one program. */
export interface ProgramResult {
  readonly misses: readonly Miss[];
  readonly causes: readonly string[];
  readonly runs: number;
}

/** The newest results on one Node major, as they are kept beside this file. */
export interface CorpusResult {
  readonly combination: Combination;
  /** Day and machine of the newest run. */
  readonly date: string;
  readonly machine: string;
  /** Absent: by V8's profile of Node 24, and not in the runs themselves. */
  readonly areCollectionsMeasured?: boolean;
  readonly times?: Times;
  readonly programs: Readonly<Record<string, ProgramResult>>;
}

const directory = path.join(import.meta.dirname, 'results');

/** Replaces the results of these programs, and keeps those of the others. */
export function writeResult(combination: Combination, judgements: readonly CorpusJudgement[], times?: Times): void {
  const known = readResult(combination);
  const added = judgements.map(({ expectation, misses, causes, runs }) => {
    return [expectation.program, { misses, causes, runs }] as const;
  });
  const programs = [...new Map([...Object.entries(known?.programs ?? {}), ...added])];
  const keptTimes = times ?? known?.times;
  const isWhole = added.length === programs.length;
  const result: CorpusResult = {
    combination,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    // Only where no program keeps an older result.
    ...((isWhole || known?.areCollectionsMeasured) && { areCollectionsMeasured: true }),
    ...(keptTimes && { times: keptTimes }),
    programs: Object.fromEntries(programs.sort(([left], [right]) => (left < right ? -1 : 1))),
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(fileOf(combination), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Of the majors that have run. */
export function readResults(): CorpusResult[] {
  return combinationPerMajor.map(readResult).filter((result) => result !== undefined);
}

/** Undefined where the major has not run. */
export function readResult(combination: Combination): CorpusResult | undefined {
  const file = fileOf(combination);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CorpusResult) : undefined;
}

function fileOf({ nodeMajor }: Combination): string {
  return path.join(directory, `node-${nodeMajor}.json`);
}
