import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { workspacePackages } from '../lib/packages.mjs';
import { rootDirectory } from '../lib/paths.mjs';

/**
 * The folders that `tsc` checks: every package that has TypeScript files, and these scripts.
 * @returns {{ name: string, directory: string }[]}
 */
export function typeCheckedDirectories() {
  const packages = workspacePackages().map(({ name, directory }) => ({ name, directory }));
  return [...packages, { name: 'scripts', directory: path.join(rootDirectory, 'scripts') }].filter(
    ({ directory }) => existsSync(path.join(directory, 'tsconfig.json')) && hasTypeScript(directory),
  );
}

/**
 * `tsc` fails in a folder without a file to check.
 * @param {string} directory
 */
function hasTypeScript(directory) {
  const folders = [directory, path.join(directory, 'src'), path.join(directory, 'test')].filter((folder) =>
    existsSync(folder),
  );
  return folders.some((folder) =>
    readdirSync(folder, { recursive: folder !== directory }).some((name) => /\.m?ts$/.test(String(name))),
  );
}
