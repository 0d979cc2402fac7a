import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { packagesDirectory, rootDirectory } from './paths.mjs';

/**
 * @typedef {object} WorkspacePackage
 * @property {string} name
 * @property {string} directory
 * @property {boolean} isPublished
 */

/** @returns {WorkspacePackage[]} */
export function workspacePackages() {
  const directories = readdirSync(packagesDirectory).map((name) => path.join(packagesDirectory, name));
  return [...directories, path.join(rootDirectory, 'dashboards'), path.join(rootDirectory, 'semconv')]
    .filter((directory) => existsSync(path.join(directory, 'package.json')))
    .map((directory) => {
      const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
      return { name: manifest.name, directory, isPublished: manifest.private !== true };
    });
}
