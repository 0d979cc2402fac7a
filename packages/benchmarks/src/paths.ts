import path from 'node:path';

const packageDirectory = path.resolve(import.meta.dirname, '..');

export const subjectsDirectory = path.join(packageDirectory, 'subjects');
/**
 * Results as JSON, one file per Node major. The document is generated from them; the next run is compared with them.
 */
export const resultsDirectory = path.join(packageDirectory, 'results');
export const documentFile = path.resolve(packageDirectory, '../../docs/evidence/benchmarks.md');
