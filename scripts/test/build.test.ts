import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from '@jest/globals';

import { workspacePackages } from '../lib/packages.mjs';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly wireit?: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
}

function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')) as Manifest;
}

const tasks = manifestIn(path.resolve(import.meta.dirname, '../..')).wireit ?? {};
const built = workspacePackages()
  .map(({ name, directory }) => ({
    name,
    task: `build:${path.basename(directory)}`,
    manifest: manifestIn(directory),
  }))
  .filter(({ manifest }) => manifest.scripts?.['build'] !== undefined);

test('`npm run build` builds every package that has a build script', () => {
  expect(new Set(tasks['build:packages']?.dependencies)).toEqual(new Set(built.map(({ task }) => task)));
});

test.each(built)('$name is built after the packages that it depends on', ({ task, manifest }) => {
  const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
  const needed = built.filter(({ name }) => name in dependencies).map((other) => other.task);
  expect(new Set(tasks[task]?.dependencies)).toEqual(new Set(needed));
});
