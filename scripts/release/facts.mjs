import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';
import { tagOf } from './conditions.mjs';

/** @typedef {import('../lib/packages.mjs').WorkspacePackage} WorkspacePackage */

/**
 * @param {readonly WorkspacePackage[]} published
 * @returns {import('./conditions.mjs').ReleaseFacts}
 */
export function releaseFacts(published) {
  const versions = published.map(versionOf);
  return {
    environment: process.env,
    versions,
    pendingChangesets: pendingChangesets(),
    changedFiles: git('status', '--porcelain').split('\n').filter(Boolean),
    tagObject: tagObject(tagOf(versions[0] ?? '')),
  };
}

/** @param {WorkspacePackage} member */
export function versionOf({ directory }) {
  return String(JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')).version);
}

function pendingChangesets() {
  return readdirSync(path.join(rootDirectory, '.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
}

/** @param {string} tag */
function tagObject(tag) {
  try {
    return git('cat-file', 'tag', tag);
  } catch {
    return ''; // no such tag, or one without an object
  }
}

/** @param {readonly string[]} gitArguments */
function git(...gitArguments) {
  return execFileSync('git', gitArguments, { cwd: rootDirectory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
