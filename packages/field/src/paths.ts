import { homedir } from 'node:os';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

const packageDirectory = path.resolve(import.meta.dirname, '..');

export const programsDirectory = path.join(packageDirectory, 'programs');
/** One JSON file per program; the document is generated from them. */
export const resultsDirectory = path.join(packageDirectory, 'results');
export const profilerPreload = path.join(packageDirectory, 'profiler/preload.cjs');
export const cliDirectory = path.resolve(packageDirectory, '../cli');
export const documentFile = path.resolve(packageDirectory, '../../docs/evidence/field.md');

/** `LOOPWATCH_CACHE_DIR`, or a folder in the user's cache directory: where the binaries of the stack are, too. */
export function fieldCacheDirectory(): string {
  const { LOOPWATCH_CACHE_DIR: chosen, XDG_CACHE_HOME: userCache } = process.env;
  return path.join(chosen ?? path.join(userCache ?? path.join(homedir(), '.cache'), 'loopwatch'), 'field');
}

/** A `PATH` on which `node` is that major. */
export function pathWith(nodeMajor: NodeMajor): string {
  return [path.dirname(nodeBinary(nodeMajor)), process.env.PATH ?? ''].join(path.delimiter);
}
