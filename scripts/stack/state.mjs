import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';
import { Stack } from './stack.mjs';

/** Data and logs of the stack that `npm run stack` starts; git ignores it. */
export const dataDirectory = path.join(rootDirectory, '.stack');
const stateFile = path.join(dataDirectory, 'state.json');

/**
 * Stores what is needed to find a running stack again.
 * @param {Stack} stack
 */
export function remember(stack) {
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(stateFile, `${JSON.stringify({ ...stack.plan, pids: stack.pids }, null, 2)}\n`);
}

/** The stack that was started last, whether or not its programs still run; undefined if none was started. */
export function recall() {
  if (!existsSync(stateFile)) return undefined;
  return new Stack({ ...JSON.parse(readFileSync(stateFile, 'utf8')), dataDirectory });
}

export function forget() {
  rmSync(stateFile, { force: true });
}
