import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

const shownFiles = 10;

/**
 * Lines that name the slowest test files: what a tier spends its time on.
 * @param {readonly { readonly testResults: readonly Pick<import('./results.mjs').TestFileResult, 'name' | 'startTime' | 'endTime'>[] }[]} results
 * @returns {string[]} empty if a single file ran
 */
export function slowestFiles(results) {
  const files = results
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((left, right) => right.seconds - left.seconds);
  if (files.length < 2) return [];
  const lines = files
    .slice(0, shownFiles)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path.relative(rootDirectory, name)}`);
  return ['', 'Slowest files:', ...lines];
}
