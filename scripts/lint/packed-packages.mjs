import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { Failure } from '../lib/failure.mjs';
import { rootDirectory } from '../lib/paths.mjs';
import { runPnpm, runTool } from '../lib/toolchain.mjs';

/** @typedef {Pick<import('../lib/run.mjs').RunOptions, 'onOutput'>} Output */

const packsDirectory = path.join(rootDirectory, 'temp/packs');

/**
 * Packs a package as pnpm publishes it.
 * @param {import('../lib/packages.mjs').WorkspacePackage} member
 * @param {Output} [options]
 * @returns {Promise<string>} the tarball
 */
export async function pack(member, options = {}) {
  const destination = path.join(packsDirectory, path.basename(member.directory));
  rmSync(destination, { recursive: true, force: true });
  mkdirSync(destination, { recursive: true });
  const exitCode = await runPnpm(['pack', '--pack-destination', destination], {
    ...options,
    cwd: member.directory,
  });
  const [tarball] = readdirSync(destination);
  if (exitCode !== 0 || tarball === undefined) throw new Failure(`Could not pack ${member.name}, see above.`);
  return path.join(destination, tarball);
}

/**
 * Checks that resolvers, bundlers and TypeScript can use the tarball.
 * @param {string} tarball
 * @param {boolean} hasTypes false for a package that is only a program
 * @param {Output} [options]
 */
export async function checkTarball(tarball, hasTypes, options = {}) {
  const publint = await runTool('publint', ['run', tarball, '--strict'], options);
  // Without attw's Node 10 profile: that resolution ignores `exports`, which every supported Node reads.
  const types = hasTypes ? await runTool('attw', [tarball, '--profile', 'node16', '--format', 'ascii'], options) : 0;
  return publint === 0 ? types : publint;
}
