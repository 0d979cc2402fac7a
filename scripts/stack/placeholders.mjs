import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

/**
 * Copies a dependency with empty files in place of those that it embeds and that its module does not contain, and returns
 * a go.mod that uses the copy. Go refuses an overlay of files in its module cache.
 * @param {string} moduleDirectory from the root of the checkout
 * @param {{ readonly module: string, readonly files: readonly string[] }} placeholders
 * @param {string} directory for the copy
 */
export function withPlaceholders(moduleDirectory, { module, files }, directory) {
  const from = path.join(rootDirectory, moduleDirectory);
  const go = (/** @type {string[]} */ ...commandArguments) =>
    execFileSync('go', commandArguments, { cwd: from, encoding: 'utf8' }).trim();
  go('mod', 'download', module);
  const copy = path.join(directory, 'copy');
  cpSync(go('list', '-m', '-f', '{{.Dir}}', module), copy, { recursive: true });
  // Files of the module cache are read-only.
  for (const { parentPath, name, isDirectory } of entriesOf(copy))
    if (isDirectory) chmodSync(path.join(parentPath, name), 0o755);
  chmodSync(copy, 0o755);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), '');
  }
  for (const name of ['go.mod', 'go.sum']) {
    copyFileSync(path.join(from, name), path.join(directory, name));
    chmodSync(path.join(directory, name), 0o644);
  }
  const moduleFile = path.join(directory, 'go.mod');
  appendFileSync(moduleFile, `\nreplace ${module} => ${copy}\n`);
  return moduleFile;
}

/** @param {string} directory */
function entriesOf(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => ({
    parentPath: entry.parentPath,
    name: entry.name,
    isDirectory: entry.isDirectory(),
  }));
}
