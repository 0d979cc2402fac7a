import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { rootDirectory, testResultsDirectory } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';

const integrationTimeoutMs = 120_000;
const endToEndTimeoutMs = 300_000;

/** Timing is what these measure, so they run one after the other. */
const inBand = ['--runInBand'];

/**
 * The suites, in the order in which they run; each is some of the projects of jest.config.mjs.
 * @type {Record<'unit' | 'integration' | 'browser' | 'e2e', { has(project: string): boolean, options: string[] }>}
 */
const suites = {
  unit: { has: (project) => project !== 'e2e' && !project.includes(':'), options: ['--maxWorkers=75%'] },
  integration: {
    has: (project) => project.endsWith(':integration'),
    options: [...inBand, `--testTimeout=${integrationTimeoutMs}`],
  },
  browser: {
    has: (project) => project.endsWith(':browser'),
    options: [...inBand, `--testTimeout=${integrationTimeoutMs}`],
  },
  e2e: { has: (project) => project === 'e2e', options: [...inBand, `--testTimeout=${endToEndTimeoutMs}`] },
};

/**
 * Runs one suite in Jest with native ES modules, and keeps its results for `tally`.
 * @param {keyof typeof suites} suite
 * @param {readonly string[]} jestArguments
 * @returns {Promise<number>} the exit code
 */
export async function runSuite(suite, jestArguments) {
  const resultsFile = path.join(testResultsDirectory, `${suite}.json`);
  mkdirSync(testResultsDirectory, { recursive: true });
  rmSync(resultsFile, { force: true });
  const { has, options } = suites[suite];
  const projects = (await projectNames()).filter(has);
  if (projects.length === 0) {
    console.log(`No ${suite} tests yet.`);
    return 0;
  }
  // As arguments and not in NODE_OPTIONS, which would reach the programs that tests start.
  const nodeArguments = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jestEntry()];
  const reporting = ['--json', `--outputFile=${resultsFile}`, '--passWithNoTests'];
  return run(
    await workspaceNode(),
    [...nodeArguments, '--selectProjects', ...projects, ...options, ...reporting, ...jestArguments],
    { env: workspaceEnvironment() },
  );
}

async function projectNames() {
  const configFile = pathToFileURL(path.join(rootDirectory, 'jest.config.mjs')).href;
  /** @type {{ default: { projects: { displayName: string }[] } }} */
  const { default: config } = await import(configFile);
  return config.projects.map(({ displayName }) => displayName);
}

function jestEntry() {
  const require = createRequire(path.join(rootDirectory, 'package.json'));
  return path.join(path.dirname(require.resolve('jest/package.json')), 'bin/jest.js');
}
