import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { filesToRepeat, patternOfFailures, withRepeatedFiles } from './repeated-files.mjs';
import { emptyTestResults, readTestResults, resultsFileOf, writeTestResults } from './results.mjs';
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

const TESTS_FAILED = 1;

/**
 * Runs test files in Jest with native ES modules, and keeps the results. In CI, the tests that failed of a few
 * files run once more, one file at a time: the host of CI is shared, and no test sees what its other guests do. What fails
 * again has failed, and what passes then is named in the last lines of CI.
 * @param {Run} name
 * @param {readonly import('./test-files.mjs').TestFile[]} files
 * @param {JestOptions} options
 * @returns {Promise<number>} the exit code
 */
export async function runJest(name, files, options) {
  const paths = files.map(({ file }) => path.join(rootDirectory, file));
  const exitCode = await startJest(name, paths, options);
  const [first] = readTestResults([name]);
  if (!first || exitCode !== TESTS_FAILED || process.env['CI'] !== 'true') return exitCode;
  const failedFiles = filesToRepeat(name, first);
  if (failedFiles.length === 0) return exitCode;

  const failed = failedFiles.map((file) => file.name);
  console.log(`▸ Once more: ${failed.map((file) => path.relative(rootDirectory, file)).join(', ')}`);
  const pattern = options.jestArguments.length > 0 ? undefined : patternOfFailures(failedFiles);
  const jestArguments = pattern === undefined ? options.jestArguments : ['--testNamePattern', pattern];
  const secondExitCode = await startJest(name, failed, { ...options, jestArguments, workers: oneAtATime });
  const [second] = readTestResults([name]);
  writeTestResults(name, second ? withRepeatedFiles(first, second) : first);
  return second ? secondExitCode : exitCode;
}

/**
 * @param {Run} name
 * @param {readonly string[]} paths
 * @param {JestOptions & { readonly workers?: string }} options
 */
async function startJest(name, paths, { tier, jestArguments, start = run, workers = optionsOfRun[name].workers }) {
  emptyTestResults([name]);
  const { timeoutMs, concurrency: ofMany, sequencer } = optionsOfRun[name];
  const isAlone = (name === 'integration' || name === 'waiting') && paths.length === 1;
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
      ...paths,
    ],
    { env: { ...workspaceEnvironment(), LOOPWATCH_TEST_TIER: tier } },
  );
}

function jestEntry() {
  const require = createRequire(path.join(rootDirectory, 'package.json'));
  return path.join(path.dirname(require.resolve('jest/package.json')), 'bin/jest.js');
}
