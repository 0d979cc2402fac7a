import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

const ansiStyles = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const shownMessageLines = 6;

/**
 * Lines that name every test that failed, each with the beginning of its message: the output of a long run is often
 * cut in its middle, where Jest prints them.
 * @param {readonly Pick<import('./results.mjs').JestResults, 'testResults'>[]} results
 * @returns {string[]} empty if none failed
 */
export function failedTests(results) {
  return linesOf(
    results.flatMap(({ testResults }) => testResults),
    '✕ ',
  );
}

/**
 * Lines that name every test that failed and passed when its file ran again, as `failedTests` does.
 * @param {readonly Pick<import('./results.mjs').JestResults, 'repeatedTests'>[]} results
 */
export function repeatedTests(results) {
  return linesOf(
    results.flatMap((run) => run.repeatedTests ?? []),
    '↻ passed the second time: ',
  );
}

/**
 * @param {readonly import('./results.mjs').TestFileResult[]} files
 * @param {string} mark
 */
function linesOf(files, mark) {
  return files.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    const file = path.relative(rootDirectory, name);
    // A file that could not run has a message and no tests.
    if (assertionResults.length === 0 && message !== '') return [`${mark}${file}`, ...beginning(message)];
    return failed.flatMap(({ fullName, failureMessages }) => [
      `${mark}${file} › ${fullName}`,
      ...failureMessages.flatMap(beginning),
    ]);
  });
}

/** @param {string} message */
function beginning(message) {
  const lines = message.replaceAll(ansiStyles, '').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .slice(0, shownMessageLines)
    .map((line) => `    ${line}`);
}
