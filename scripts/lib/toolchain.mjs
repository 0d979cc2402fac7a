import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Failure } from './failure.mjs';
import { rootDirectory } from './paths.mjs';
import { run } from './run.mjs';

const binDirectory = path.join(rootDirectory, 'node_modules/.bin');

/** Path of the workspace's own Node; the packages must be installed. */
export async function workspaceNode() {
  const { nodeBinary } = await import('@loopwatch/node-binaries');
  return nodeBinary();
}

/**
 * The environment in which `node` is the workspace's own.
 * @returns {NodeJS.ProcessEnv}
 */
export function workspaceEnvironment() {
  return { ...process.env, PATH: `${binDirectory}${path.delimiter}${process.env['PATH'] ?? ''}` };
}

/**
 * Runs a tool of the root's node_modules on the workspace's own Node.
 * @param {string} name of its file in node_modules/.bin
 * @param {readonly string[]} toolArguments
 * @param {Omit<import('./run.mjs').RunOptions, 'env'>} [options]
 */
export function runTool(name, toolArguments, options = {}) {
  return run(path.join(binDirectory, name), toolArguments, { ...options, env: workspaceEnvironment() });
}

/**
 * Runs a script of a package.json on the workspace's own Node.
 * @param {string} directory
 * @param {string} script
 * @param {readonly string[]} [scriptArguments]
 */
export async function runPackageScript(directory, script, scriptArguments = []) {
  const separated = scriptArguments.length === 0 ? [] : ['--', ...scriptArguments];
  return run(await workspaceNode(), ['--run', script, ...separated], { cwd: directory, env: workspaceEnvironment() });
}

/** The pnpm that wrote the lockfile, such as `pnpm@10.0.0`. */
export function pinnedPnpm() {
  const manifest = readFileSync(path.join(rootDirectory, 'package.json'), 'utf8');
  const { packageManager } = JSON.parse(manifest);
  if (!/^pnpm@\d+\.\d+\.\d+$/.test(packageManager)) {
    throw new Failure(
      `Expected "packageManager": "pnpm@<version>" in package.json, got ${JSON.stringify(packageManager)}.`,
    );
  }
  return packageManager;
}

/**
 * Through npx, because npm is on every machine with Node and pnpm is not.
 * @param {readonly string[]} pnpmArguments
 * @param {import('./run.mjs').RunOptions} [options]
 */
export function runPnpm(pnpmArguments, options = {}) {
  return run('npx', ['--yes', pinnedPnpm(), ...pnpmArguments], options);
}
