import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { nodeMajors } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import type { Part } from '../parts/part.ts';
import { resultsDirectory } from '../paths.ts';

const fileOf = (part: Part, major: NodeMajor): string => path.join(resultsDirectory, `${part}-${major}.json`);

export function writeResult(part: Part, major: NodeMajor, result: unknown): void {
  mkdirSync(resultsDirectory, { recursive: true });
  writeFileSync(fileOf(part, major), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** The results of a part, of those majors that have been measured. */
export function readResults<Result>(part: Part): Result[] {
  return nodeMajors
    .map((major) => fileOf(part, major))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result);
}
