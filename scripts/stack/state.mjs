import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';
import { Stack } from './stack.mjs';

/** Data and logs of the stack that `npm run stack` starts; ignored by git. */
export const dataDirectory = path.join(rootDirectory, '.stack');
const stateFile = path.join(dataDirectory, 'state.json');

/**
 * Writes down what is needed to find a running stack again.
 * @param {Stack} stack
 */
export function remember(stack) {
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(stateFile, `${JSON.stringify({ ...stack.plan, pids: stack.pids }, null, 2)}\n`);
}

/** The stack that was started last, whether its programs still run or not; undefined when there is none. */
export function recall() {
  if (!existsSync(stateFile)) return undefined;
  return new Stack({ ...JSON.parse(readFileSync(stateFile, 'utf8')), dataDirectory });
}

export function forget() {
  rmSync(stateFile, { force: true });
}
