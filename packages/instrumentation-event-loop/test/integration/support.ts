import path from 'node:path';

import { consumerOf, programTree, runProgram } from '@loopwatch/test-support';
import type { Combination, PackageManager, ProgramTree, RunOptions, RunResult } from '@loopwatch/test-support';

export type FixtureOptions = Partial<Omit<RunOptions, 'combination' | 'tree' | 'program'>> & {
  readonly packageManager?: PackageManager;
};

/** The fixtures, laid into the consumer of that SDK line. */
export async function fixtureTree(combination: Combination, packageManager?: PackageManager): Promise<ProgramTree> {
  return programTree(await consumerOf(combination.sdk, packageManager), path.join(import.meta.dirname, 'fixtures'));
}

/** Runs a fixture against the packed package. */
export async function runFixture(
  combination: Combination,
  program: string,
  { packageManager, ...options }: FixtureOptions = {},
): Promise<RunResult> {
  return runProgram({ combination, program, tree: await fixtureTree(combination, packageManager), ...options });
}

/** For what a test says on stderr beside its assertions: what a failing child said. */
export function expectCleanExit({ exitCode, signal, stderr }: RunResult): void {
  if (exitCode !== 0)
    throw new Error(`Expected the fixture to exit with 0, got ${signal ?? String(exitCode)}.\n${stderr}`);
}
