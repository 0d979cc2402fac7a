import path from 'node:path';

import { consumerOf, describeCombination, programTree, runProgram } from '@loopwatch/test-support';
import type { Combination, Telemetry } from '@loopwatch/test-support';

import { judgeVictims } from './judge-victims.ts';
import type { VictimCounts } from './judge-victims.ts';

const programsDirectory = path.join(import.meta.dirname, 'programs');
const CONCURRENT_RUNS = 2;

export interface MixedRun extends VictimCounts {
  readonly seed: number;
}

/** Runs the mixed servers with one seed after the other, and judges the waits of each run. */
export async function runMixedServers(
  combination: Combination,
  { firstSeed, runs }: { readonly firstSeed: number; readonly runs: number },
  onRun: (run: MixedRun, telemetry: Telemetry) => void = () => undefined,
): Promise<MixedRun[]> {
  const tree = await programTree(await consumerOf(combination.sdk), programsDirectory);
  const finished: MixedRun[] = [];
  let nextSeed = firstSeed;
  const runNext = async (): Promise<void> => {
    for (let seed = nextSeed++; seed < firstSeed + runs; seed = nextSeed++) {
      const result = await runProgram({
        combination,
        tree,
        program: 'mixed-servers.cjs',
        args: [String(seed)],
        // Each block has its span, so that each wait has its block.
        telemetry: { http: true, victims: true, batch: true, instrumentation: { spansPerMinute: 10_000 } },
        timeoutMs: 60_000,
      });
      if (result.exitCode !== 0 || result.notes.get('client') !== 0) {
        throw new Error(
          `Expected the mixed servers with seed ${seed} on ${describeCombination(combination)} to exit with 0, ` +
            `got ${result.signal ?? String(result.exitCode)}.\n${result.stderr}`,
        );
      }
      const run = { seed, ...judgeVictims(result) };
      finished.push(run);
      onRun(run, result);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_RUNS }, runNext));
  return finished.sort((a, b) => a.seed - b.seed);
}
