import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const notSources = new Set(['node_modules', 'dist', 'temp', 'coverage', 'test']);

/**
 * Content of the files a build reads: equal fingerprints, equal output.
 * @param {string} directory
 */
export function sourceFingerprint(directory) {
  const hash = createHash('sha256');
  for (const file of filesUnder(directory, notSources)) {
    hash.update(path.relative(directory, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Names, sizes and times of built files: another fingerprint means that somebody else built, or deleted.
 * @param {string} directory
 */
export function outputFingerprint(directory) {
  if (!existsSync(directory)) return 'none';
  const hash = createHash('sha256');
  for (const file of filesUnder(directory, new Set())) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${path.relative(directory, file)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

/** @param {readonly string[]} texts */
export function textFingerprint(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex');
}

/**
 * @param {string} directory
 * @param {ReadonlySet<string>} skipped names of folders
 * @returns {string[]}
 */
function filesUnder(directory, skipped) {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const child = path.join(directory, entry.name);
      if (entry.isDirectory()) return filesUnder(child, skipped);
      return entry.isFile() ? [child] : [];
    });
}
