import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { readUserFile } from '../../files/regular-file.js';
import type { PackageCopy } from '../facts.js';

/** Packages whose own dependencies are followed. */
const FOLLOWED = /^@(opentelemetry|loopwatch|sentry|fastify)\//;
const SHOWN = /^@(opentelemetry|loopwatch)\//;
/** Looked for also where no package.json names them. */
const SEEDS = [
  '@loopwatch/instrumentation-event-loop',
  '@opentelemetry/api',
  '@opentelemetry/instrumentation',
  '@opentelemetry/sdk-node',
];

/** A file of anybody's: nothing of it has a type for certain. */
interface Manifest {
  readonly version?: unknown;
  readonly dependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly devDependencies?: unknown;
  readonly peerDependencies?: unknown;
}

/**
 * The copies of OpenTelemetry's packages and of the instrumentation that an application in the directory loads: found as
 * Node.js does, in `node_modules` folders upwards, from the application and from each package that uses them.
 */
export function packageCopies(directory: string): PackageCopy[] {
  const copies = new Map<string, PackageCopy>();
  const visited = new Set<string>();
  const queue = [...new Set([...SEEDS, ...dependenciesOf(manifestAbove(directory))])].map((name) => ({
    name,
    from: directory,
    usedBy: 'the application',
  }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { name, from, usedBy } = next;
    const found = findPackage(name, from);
    if (found === undefined || visited.has(found)) continue;
    visited.add(found);
    const manifest = readManifest(found);
    const version = typeof manifest.version === 'string' ? manifest.version : '';
    if (SHOWN.test(name)) copies.set(found, { name, version, directory: found, usedBy });
    const names = dependenciesOf({ ...manifest, devDependencies: {} });
    queue.push(
      ...names.filter((other) => FOLLOWED.test(other)).map((other) => ({ name: other, from: found, usedBy: name })),
    );
  }
  return [...copies.values()];
}

export function hasPlugAndPlay(directory: string): boolean {
  return upwards(directory).some((folder) => existsSync(path.join(folder, '.pnp.cjs')));
}

function findPackage(name: string, from: string): string | undefined {
  const folder = upwards(from)
    .map((above) => path.join(above, 'node_modules', name))
    .find((candidate) => existsSync(path.join(candidate, 'package.json')));
  return folder === undefined ? undefined : realpathSync(folder);
}

function manifestAbove(directory: string): Manifest {
  const folder = upwards(directory).find((above) => existsSync(path.join(above, 'package.json')));
  return folder === undefined ? {} : readManifest(folder);
}

function dependenciesOf({ dependencies, optionalDependencies, devDependencies, peerDependencies }: Manifest): string[] {
  return [dependencies, optionalDependencies, devDependencies, peerDependencies].flatMap((given) =>
    typeof given === 'object' && given !== null ? Object.keys(given) : [],
  );
}

function readManifest(folder: string): Manifest {
  try {
    const value: unknown = JSON.parse(readUserFile(path.join(folder, 'package.json')));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The folder and all above it. */
function upwards(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
