import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { emptyTestResults, resultsFileOf } from './results.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';

/** @typedef {'unit' | 'waiting' | 'integration' | 'calm' | 'e2e' | 'kubernetes'} Run */

/**
 * @typedef {object} JestOptions
 * @property {import('./test-files.mjs').Tier} tier
 * @property {readonly string[]} jestArguments
 * @property {typeof run} [start] starts Jest and resolves to its exit code
 */

// Jest's own default and percentages leave a core idle.
const oneForEachCore = `--maxWorkers=${availableParallelism()}`;
const oneAtATime = '--runInBand';
/** Each has three servers with memory of their own, and mostly waits for their intervals. */
const upToFour = `--maxWorkers=${Math.min(availableParallelism() + 2, 4)}`;

/** Of a file that runs alone, so many tests may run at a time: it has the machine for itself. */
const CONCURRENCY_ALONE = 3;

/**
 * `concurrency`: how many tests of one `describe` run at a time where they are `test.concurrent`; `sequencer`: what
 * orders the files.
 * @typedef {{ readonly workers: string, readonly timeoutMs: number, readonly concurrency: number, readonly sequencer?: string }} RunOptions
 * @type {Readonly<Record<Run, RunOptions>>}
 */
const optionsOfRun = {
  // None waits. In CI they have the lowest priority, beside the servers of the end-to-end tests.
  unit: { workers: oneForEachCore, timeoutMs: 30_000, concurrency: 5 },
  // Their programs wait for a command, a signal or a server.
  waiting: { workers: oneForEachCore, timeoutMs: 120_000, concurrency: 2 },
  // They wait for child processes, which have more than one busy thread; one test at a time in each: the programs that
  // they start block, and more of them at once would only show how a host without a free core behaves.
  integration: { workers: oneForEachCore, timeoutMs: 120_000, concurrency: 1 },
  // Two programs at a time, each of which computes in one thread, and nothing else.
  calm: { workers: oneAtATime, timeoutMs: 120_000, concurrency: 2 },
  e2e: {
    workers: upToFour,
    timeoutMs: 300_000,
    concurrency: 5,
    sequencer: path.join(import.meta.dirname, 'longest-first.mjs'),
  },
  kubernetes: { workers: oneAtATime, timeoutMs: 600_000, concurrency: 5 },
};

/**
 * Runs test files in Jest with native ES modules, and keeps the results.
 * @param {Run} name
 * @param {readonly import('./test-files.mjs').TestFile[]} files
 * @param {JestOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function runJest(name, files, { tier, jestArguments, start = run }) {
  emptyTestResults([name]);
  const { workers, timeoutMs, concurrency: ofMany, sequencer } = optionsOfRun[name];
  const isAlone = (name === 'integration' || name === 'waiting') && files.length === 1;
  const concurrency = isAlone ? CONCURRENCY_ALONE : ofMany;
  return start(
    await workspaceNode(),
    [
      // As arguments and not in NODE_OPTIONS, which would reach the programs that tests start.
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      jestEntry(),
      workers,
      `--testTimeout=${timeoutMs}`,
      `--maxConcurrency=${concurrency}`,
      ...(sequencer === undefined ? [] : [`--testSequencer=${sequencer}`]),
      '--json',
      `--outputFile=${resultsFileOf(name)}`,
      ...jestArguments,
      '--runTestsByPath',
      ...files.map(({ file }) => path.join(rootDirectory, file)),
    ],
    { env: { ...workspaceEnvironment(), LOOPWATCH_TEST_TIER: tier } },
  );
}

function jestEntry() {
  const require = createRequire(path.join(rootDirectory, 'package.json'));
  return path.join(path.dirname(require.resolve('jest/package.json')), 'bin/jest.js');
}
