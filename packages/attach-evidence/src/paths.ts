import path from 'node:path';

const packages = path.resolve(import.meta.dirname, '../..');

export const cliFile = path.join(packages, 'cli/dist/cli.cjs');
/** Blocks in the way that its argument names, for ever or for some seconds; prints its state on SIGUSR2. */
export const hangProgram = path.join(packages, 'cli/test/fixtures/hang.cjs');
export const subjectsDirectory = path.join(import.meta.dirname, '../subjects');
export const resultsDirectory = path.join(import.meta.dirname, '../results');
export const documentFile = path.resolve(packages, '../docs/evidence/attach.md');
