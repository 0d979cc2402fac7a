import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { packagesDirectory, rootDirectory } from './paths.mjs';

/**
 * @typedef {object} WorkspacePackage
 * @property {string} name
 * @property {string} directory
 * @property {boolean} isPublished
 * @property {Readonly<Record<string, string>>} scripts
 * @property {readonly string[]} workspaceDependencies names of the packages of this workspace it is built with
 */

/**
 * All packages, each after those it depends on.
 * @returns {WorkspacePackage[]}
 */
export function workspacePackages() {
  const directories = readdirSync(packagesDirectory).map((name) => path.join(packagesDirectory, name));
  const packages = [...directories, path.join(rootDirectory, 'dashboards')]
    .filter((directory) => existsSync(path.join(directory, 'package.json')))
    .map(readPackage);
  return inDependencyOrder(packages);
}

/**
 * The named package and all it needs, in the order in which they are built.
 * @param {readonly WorkspacePackage[]} packages
 * @param {string} name
 */
export function withDependencies(packages, name) {
  const byName = new Map(packages.map((member) => [member.name, member]));
  const wanted = new Set();
  /** @param {string} current */
  const visit = (current) => {
    if (wanted.has(current)) return;
    wanted.add(current);
    for (const dependency of byName.get(current)?.workspaceDependencies ?? []) visit(dependency);
  };
  visit(name);
  return packages.filter((member) => wanted.has(member.name));
}

/**
 * @param {readonly WorkspacePackage[]} packages
 * @returns {WorkspacePackage[]}
 */
export function inDependencyOrder(packages) {
  const byName = new Map(packages.map((member) => [member.name, member]));
  /** @type {Set<WorkspacePackage>} */
  const ordered = new Set();
  /** @type {string[]} */
  const trail = [];
  /** @param {WorkspacePackage} member */
  const visit = (member) => {
    if (ordered.has(member)) return;
    if (trail.includes(member.name)) {
      throw new Error(`Packages depend on each other in a circle: ${[...trail, member.name].join(' → ')}.`);
    }
    trail.push(member.name);
    for (const dependency of member.workspaceDependencies) {
      const other = byName.get(dependency);
      if (other !== undefined) visit(other);
    }
    trail.pop();
    ordered.add(member);
  };
  packages.forEach(visit);
  return [...ordered];
}

/**
 * @param {string} directory
 * @returns {WorkspacePackage}
 */
function readPackage(directory) {
  const manifest = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  /** @type {Record<string, string>} */
  const dependencies = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  return {
    name: manifest.name,
    directory,
    isPublished: manifest.private !== true,
    scripts: manifest.scripts ?? {},
    workspaceDependencies: Object.keys(dependencies).filter((name) => dependencies[name]?.startsWith('workspace:')),
  };
}
