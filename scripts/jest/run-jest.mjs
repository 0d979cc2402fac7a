import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { resultsFileOf } from './results.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';

/** @typedef {'unit' | 'integration' | 'calm' | 'e2e'} Run */

const cores = availableParallelism();

// Integration tests wait for child processes more than they compute: half as many again as cores keep the cores busy,
// three on two cores. Jest's own default and percentages leave a core idle.
const integrationWorkers = Math.ceil(cores * 1.5);

/** @type {Readonly<Record<Run, readonly string[]>>} */
const optionsOfRun = {
  unit: [`--maxWorkers=${cores}`],
  integration: [`--maxWorkers=${integrationWorkers}`, '--testTimeout=120000'],
  calm: ['--runInBand', '--testTimeout=120000'],
  e2e: ['--runInBand', '--testTimeout=300000'],
};

/**
 * Runs test files in Jest with native ES modules, and keeps the results.
 * @param {Run} name
 * @param {readonly import('./test-files.mjs').TestFile[]} files
 * @param {{ tier: import('./test-files.mjs').Tier, jestArguments: readonly string[] }} options
 * @returns {Promise<number>} the exit code
 */
export async function runJest(name, files, { tier, jestArguments }) {
  return run(
    await workspaceNode(),
    [
      // As arguments and not in NODE_OPTIONS, which would reach the programs that tests start.
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      jestEntry(),
      ...optionsOfRun[name],
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
