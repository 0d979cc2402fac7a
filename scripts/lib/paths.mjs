import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const rootDirectory = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export const packagesDirectory = path.join(rootDirectory, 'packages');

/** Jest's JSON results, one file a suite. */
export const testResultsDirectory = path.join(rootDirectory, 'temp/test-results');
