import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const rootDirectory = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export const packagesDirectory = path.join(rootDirectory, 'packages');
