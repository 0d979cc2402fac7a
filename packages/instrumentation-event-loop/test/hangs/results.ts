import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { combinationPerMajor, describeMachine } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import type { JudgedHang } from './run-hangs.ts';

export interface HangResult {
  readonly combination: Combination;
  readonly date: string;
  readonly machine: string;
  readonly hangs: number;
  /** The last reports in which something was wrong or absent. */
  readonly notRight: readonly JudgedHang[];
}

const directory = path.join(import.meta.dirname, 'results');

export function isRight({ wrong, absent }: JudgedHang): boolean {
  return wrong.length + absent.length === 0;
}

/** Replaces the result of this major. */
export function writeHangs(combination: Combination, judged: readonly JudgedHang[]): void {
  mkdirSync(directory, { recursive: true });
  const result: HangResult = {
    combination,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    hangs: judged.length,
    notRight: judged.filter((hang) => !isRight(hang)),
  };
  writeFileSync(fileOf(combination), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Of the majors that have run. */
export function readHangs(): HangResult[] {
  return combinationPerMajor
    .map(fileOf)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as HangResult);
}

function fileOf({ nodeMajor }: Combination): string {
  return path.join(directory, `node-${nodeMajor}.json`);
}
