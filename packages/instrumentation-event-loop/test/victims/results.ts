import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { combinationPerMajor, describeMachine } from '@loopwatch/test-support';
import type { Combination } from '@loopwatch/test-support';

import type { MixedRun } from './mixed-servers.ts';

export interface VictimTotals {
  readonly runs: number;
  readonly blocks: number;
  readonly wrongParents: number;
  readonly spans: number;
  readonly victims: number;
  readonly falseVictims: number;
  readonly missedVictims: number;
  /** How much longer all reported waits are than they can have been, as a share of them. */
  readonly excessShare: number;
}

export interface VictimResult extends VictimTotals {
  readonly combination: Combination;
  readonly date: string;
  readonly machine: string;
}

const directory = path.join(import.meta.dirname, 'results');

export function totalsOf(runs: readonly MixedRun[]): VictimTotals {
  const total = (of: (run: MixedRun) => number): number => runs.reduce((sum, run) => sum + of(run), 0);
  return {
    runs: runs.length,
    blocks: total(({ blocks }) => blocks),
    wrongParents: total(({ wrongParents }) => wrongParents),
    spans: total(({ spans }) => spans),
    victims: total(({ victims }) => victims),
    falseVictims: total(({ falseVictims }) => falseVictims.length),
    missedVictims: total(({ missedVictims }) => missedVictims.length),
    excessShare:
      total(({ excessMs }) => excessMs) /
      Math.max(
        1,
        total(({ reportedMs }) => reportedMs),
      ),
  };
}

export function describeTotals(totals: VictimTotals): string {
  return (
    `${totals.runs} runs, ${totals.blocks} blocks (${totals.wrongParents} with a wrong parent or none), ${totals.spans} spans, ` +
    `${totals.victims} victims, ${totals.falseVictims} false, ${totals.missedVictims} missed, ` +
    `waits ${(totals.excessShare * 100).toFixed(1)} % too long`
  );
}

/** Replaces the counts of this major. */
export function writeVictims(combination: Combination, runs: readonly MixedRun[]): void {
  mkdirSync(directory, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const result: VictimResult = { combination, date, machine: describeMachine(), ...totalsOf(runs) };
  writeFileSync(fileOf(combination), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Of the majors that have run. */
export function readVictims(): VictimResult[] {
  return combinationPerMajor
    .map(fileOf)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as VictimResult);
}

function fileOf({ nodeMajor }: Combination): string {
  return path.join(directory, `node-${nodeMajor}.json`);
}
