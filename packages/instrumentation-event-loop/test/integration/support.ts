import path from 'node:path';

import { blockedSpans, cacheDirectory, consumerOf, epochMs, programTree, runProgram } from '@loopwatch/test-support';
import type {
  Combination,
  PackageManager,
  ProgramTree,
  RunOptions,
  RunResult,
  SpanRecord,
} from '@loopwatch/test-support';

export type FixtureOptions = Partial<Omit<RunOptions, 'combination' | 'tree' | 'program'>> & {
  readonly packageManager?: PackageManager;
};

/** Copies the fixtures into the consumer project of the SDK line. */
export async function fixtureTree(combination: Combination, packageManager?: PackageManager): Promise<ProgramTree> {
  return programTree(await consumerOf(combination.sdk, packageManager), path.join(import.meta.dirname, 'fixtures'));
}

const tries = 3;

/** Runs a fixture against the packed package. */
export async function runFixture(
  combination: Combination,
  program: string,
  { packageManager, ...options }: FixtureOptions = {},
): Promise<RunResult> {
  const tree = await fixtureTree(combination, packageManager);
  return runUnstarved({ combination, program, tree, ...options });
}

/**
 * Compiling the SDK takes a third of the CPU of a start: Node.js 22 and later keep the code for the next program. Tests of
 * start-up, of endings and of what is changed in a process set `NODE_DISABLE_COMPILE_CACHE`.
 */
export const compileCache = { NODE_COMPILE_CACHE: path.join(cacheDirectory, 'compile-cache') };

/**
 * Runs a program. A run in which the program's thread waited too long for a CPU is repeated, because its result shows
 * the load of the machine and not the behaviour of the instrumentation.
 */
export async function runUnstarved(options: RunOptions): Promise<RunResult> {
  for (let triesLeft = tries; ; triesLeft -= 1) {
    const result = await runProgram({ ...options, env: { ...compileCache, ...options.env } });
    if (triesLeft === 1 || !wasStarved(result)) return result;
  }
}

/** Runs a fixture once, as `runFixture` does. */
type RunOnce = (combination: Combination, program: string, options?: FixtureOptions) => Promise<RunResult>;

/**
 * Runs fixtures and checks what they have reported. The check runs once more, with new runs, if it fails and a program's
 * thread waited too long for a CPU. What passes has shown what it is to show, on a busy host as well: `runFixture`, which
 * repeats each such run, is for results with exceptions for a busy host.
 */
export async function expectUnstarved(expectThat: (run: RunOnce) => Promise<void>): Promise<void> {
  for (let triesLeft = tries; ; triesLeft -= 1) {
    const results: RunResult[] = [];
    try {
      await expectThat(async (combination, program, { packageManager, ...options } = {}) => {
        const tree = await fixtureTree(combination, packageManager);
        const result = await runProgram({
          combination,
          program,
          tree,
          ...options,
          env: { ...compileCache, ...options.env },
        });
        results.push(result);
        return result;
      });
      return;
    } catch (error) {
      if (triesLeft === 1 || !results.some(wasStarved)) throw error;
    }
  }
}

/** By so much a callback of a program may last longer than its work: with more, it is near the threshold. */
const MAX_HELD_UP_MS = 40;

/**
 * Whether the program's thread waited for a CPU for longer than it does on an idle machine, or the program says that the
 * host has held up work of which it knows the length: a host of virtual machines takes its CPU away unseen.
 */
export function wasStarved({ notes, durationMs }: RunResult): boolean {
  const heldUpMs = Number(notes.get('heldUpMs') ?? 0);
  return Number(notes.get('runQueueMs') ?? 0) > 60 + durationMs / 50 || heldUpMs > MAX_HELD_UP_MS;
}

/** The `event-loop-blocked` spans of the blocks that the fixture made on purpose. */
export function spansOfBlocks({ truths, ...telemetry }: RunResult): SpanRecord[] {
  return blockedSpans({ truths, ...telemetry }).filter((span) =>
    truths.some((truth) => epochMs(span.startTime) < truth.endEpochMs && epochMs(span.endTime) > truth.startEpochMs),
  );
}

/** Throws with the child's stderr, so that a failed test shows why the child failed. */
export function expectCleanExit({ exitCode, signal, stderr }: RunResult): void {
  if (exitCode !== 0)
    throw new Error(`Expected the fixture to exit with 0, got ${signal ?? String(exitCode)}.\n${stderr}`);
}
