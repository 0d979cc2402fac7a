import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

const directory = path.join(rootDirectory, 'temp/test-results');

/**
 * The part of Jest's `--json` results that is read.
 * @typedef {object} JestResults
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites files that could not run at all, whose tests Jest therefore cannot count
 * @property {readonly TestFileResult[]} testResults one for each file
 * @property {readonly TestFileResult[]} [repeatedTests] ours: the tests that failed, and passed when their file ran again
 *
 * @typedef {object} TestFileResult
 * @property {string} name the path of the file
 * @property {number} startTime in ms since 1970
 * @property {number} endTime in ms since 1970
 * @property {string} status `passed` or `failed`
 * @property {string} message what Jest prints of the tests that failed, or of a file that could not run
 * @property {readonly { fullName: string, status: string, failureMessages: readonly string[] }[]} assertionResults one
 *   for each test
 */

/** @param {string} run */
export function resultsFileOf(run) {
  return path.join(directory, `${run}.json`);
}

/**
 * Removes the results of earlier runs by these names.
 * @param {readonly string[]} runs
 */
export function emptyTestResults(runs) {
  mkdirSync(directory, { recursive: true });
  for (const run of runs) rmSync(resultsFileOf(run), { force: true });
}

/**
 * The results of these runs, or of all; a run that did not happen has none.
 * @param {readonly string[]} [runs]
 * @returns {JestResults[]}
 */
export function readTestResults(runs = runsWithResults()) {
  return runs
    .map(resultsFileOf)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

/**
 * @param {string} run
 * @param {JestResults} results
 */
export function writeTestResults(run, results) {
  writeFileSync(resultsFileOf(run), JSON.stringify(results));
}

/**
 * The results of two runs, of different files, as those of one.
 * @param {JestResults} first
 * @param {JestResults} second
 * @returns {JestResults}
 */
export function together(first, second) {
  return {
    numPassedTests: first.numPassedTests + second.numPassedTests,
    numFailedTests: first.numFailedTests + second.numFailedTests,
    numPendingTests: first.numPendingTests + second.numPendingTests,
    numTodoTests: first.numTodoTests + second.numTodoTests,
    numRuntimeErrorTestSuites: first.numRuntimeErrorTestSuites + second.numRuntimeErrorTestSuites,
    testResults: [...first.testResults, ...second.testResults],
  };
}

function runsWithResults() {
  return existsSync(directory) ? readdirSync(directory).map((name) => path.basename(name, '.json')) : [];
}
