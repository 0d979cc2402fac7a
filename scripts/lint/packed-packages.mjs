import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { runPnpm, runTool } from '../lib/toolchain.mjs';

const packsDirectory = path.join(rootDirectory, 'temp/packs');

/**
 * Packs a package as it would be published.
 * @param {import('../lib/packages.mjs').WorkspacePackage} member
 * @returns {Promise<string>} the tarball
 */
export async function pack(member) {
  const destination = path.join(packsDirectory, path.basename(member.directory));
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(destination, { recursive: true });
  const exitCode = await runPnpm(['pack', '--pack-destination', destination], { cwd: member.directory });
  const [tarball] = readdirSync(destination);
  if (exitCode !== 0 || tarball === undefined) throw new Failure(`Could not pack ${member.name}, see above.`);
  return path.join(destination, tarball);
}

/**
 * What a user's resolver, bundler and compiler will make of the tarball.
 * @param {string} tarball
 * @param {boolean} hasTypes a program that is only run has none
 */
export async function checkTarball(tarball, hasTypes) {
  const publint = await runTool('publint', ['run', tarball, '--strict']);
  // Node 10's resolution knows no `exports`; every Node we support does.
  const types = hasTypes ? await runTool('attw', [tarball, '--profile', 'node16', '--format', 'ascii']) : 0;
  return publint === 0 ? types : publint;
}
