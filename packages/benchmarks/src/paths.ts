import path from 'node:path';

const packageDirectory = path.resolve(import.meta.dirname, '..');

export const subjectsDirectory = path.join(packageDirectory, 'subjects');
/** Measurements as plain data, one file a Node major: what the document is made of, and the next run compared with. */
export const resultsDirectory = path.join(packageDirectory, 'results');
export const documentFile = path.resolve(packageDirectory, '../../docs/benchmarks.md');
