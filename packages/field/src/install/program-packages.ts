import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { fieldCacheDirectory, pathWith, programsDirectory } from '../paths.ts';
import { makeFolderOnce } from './folder-once.ts';
import { runCommand } from './run-command.ts';

const manifests = ['package.json', 'package-lock.json'];

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Dependencies whose install scripts are needed, and the major that runs them; no other install script runs. */
  readonly fieldBuilds?: { readonly packages: readonly string[]; readonly nodeMajor: NodeMajor };
}

/** Installs the packages of a program, once for each content of its lockfile. Returns the folder. */
export function installProgram(name: string): Promise<string> {
  const source = path.join(programsDirectory, name);
  const hash = createHash('sha256');
  for (const file of manifests) hash.update(readFileSync(path.join(source, file))).update('\0');
  const directory = path.join(fieldCacheDirectory(), `${name}-${hash.digest('hex').slice(0, 12)}`);
  return makeFolderOnce(directory, async (scratch) => {
    for (const file of manifests) cpSync(path.join(source, file), path.join(scratch, file));
    // Not `npm ci`: it rejects a lockfile that lacks optional packages of other platforms.
    await runCommand(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], scratch);
    const { fieldBuilds } = manifestOf(name);
    if (fieldBuilds === undefined) return;
    const { packages, nodeMajor } = fieldBuilds;
    // The package of the binary has Node's headers too, so that nothing is downloaded.
    const nodeDirectory = path.resolve(path.dirname(nodeBinary(nodeMajor)), '..');
    const env = { PATH: pathWith(nodeMajor), npm_config_nodedir: nodeDirectory };
    await runCommand(['npm', 'rebuild', ...packages], scratch, env);
  });
}

/** The direct dependencies of a program, with their exact versions. */
export function versionsOf(name: string): Readonly<Record<string, string>> {
  return manifestOf(name).dependencies;
}

function manifestOf(name: string): Manifest {
  const file = path.join(programsDirectory, name, 'package.json');
  if (!existsSync(file)) throw new Error(`Expected the manifest of the program ${name} in ${file}, found none.`);
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
