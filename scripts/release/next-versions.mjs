import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { runTool } from '../lib/toolchain.mjs';
import { versionOf } from './facts.mjs';

/** @typedef {import('../lib/packages.mjs').WorkspacePackage} WorkspacePackage */
/** @typedef {{ name: string, version: string, changelog: string }} NextVersion */

const cloneDirectory = path.join(rootDirectory, 'temp/release/clone');

/**
 * The versions and the new part of the changelogs that the committed changesets result in. A local clone gets them, with
 * the history that the changelogs cite; this checkout does not change.
 * @param {readonly WorkspacePackage[]} published
 * @param {string} [checkout]
 * @returns {Promise<NextVersion[]>}
 */
export async function nextVersions(published, checkout = rootDirectory) {
  rmSync(cloneDirectory, { recursive: true, force: true });
  mkdirSync(path.dirname(cloneDirectory), { recursive: true });
  execFileSync('git', ['clone', '--quiet', '--shared', checkout, cloneDirectory], { stdio: 'inherit' });
  try {
    const exitCode = await runTool('changeset', ['version'], { cwd: cloneDirectory });
    if (exitCode !== 0) throw new Failure(`\`changeset version\` failed with exit code ${exitCode}, see above.`);
    return published.map((member) => {
      const directory = path.join(cloneDirectory, path.relative(checkout, member.directory));
      const version = versionOf({ ...member, directory });
      const changelog = readFileSync(path.join(directory, 'CHANGELOG.md'), 'utf8');
      return { name: member.name, version, changelog: sectionOf(changelog, version) };
    });
  } finally {
    rmSync(cloneDirectory, { recursive: true, force: true });
  }
}

/**
 * The section of a changelog about a version.
 * @param {string} changelog
 * @param {string} version
 */
export function sectionOf(changelog, version) {
  const section = changelog.split(/^(?=## )/m).find((text) => text.startsWith(`## ${version}\n`));
  if (section === undefined) throw new Failure(`Expected a section "## ${version}" in the changelog, found none.`);
  return section.trim();
}
