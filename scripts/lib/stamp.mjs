import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { cacheDirectory } from './paths.mjs';

/**
 * What was true when a step last succeeded, as one text.
 * @param {string} name
 * @returns {string | undefined}
 */
export function readStamp(name) {
  try {
    return readFileSync(path.join(cacheDirectory, name), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
export function writeStamp(name, text) {
  mkdirSync(cacheDirectory, { recursive: true });
  writeFileSync(path.join(cacheDirectory, name), text);
}

/** @param {string} name */
export function removeStamp(name) {
  rmSync(path.join(cacheDirectory, name), { force: true });
}
