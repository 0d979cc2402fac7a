import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { builtPackage } from './built-package.ts';
import type { BuiltPackage } from './built-package.ts';
import type { SdkLine } from '../combinations.ts';
import { linkTree } from './link-tree.ts';
import { dependenciesOf, manifestOf } from './manifests.ts';
import type { PackageManager } from './manifests.ts';
import { makeFolderOnce } from './make-folder-once.ts';
import { cacheDirectory, pnpmCommand } from '../paths.ts';

const run = promisify(execFile);
const keptForMs = 12 * 3_600_000;

/** An application with the packed package and one SDK line installed. */
export interface Consumer {
  readonly directory: string;
  readonly sdk: SdkLine;
  readonly packageManager: PackageManager;
}

/**
 * Dependencies of an application besides OpenTelemetry, in exact versions. The name becomes part of its folder's name.
 */
export interface Extras {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Recipe {
  readonly sdk: SdkLine;
  readonly packageManager: PackageManager;
  readonly extras?: Extras;
}

const consumers = new Map<string, Promise<Consumer>>();

/**
 * Returns the consumer for an SDK line, with the newest build. The package manager installs it once per manifest. For
 * each later build, it is copied by hard links, and only the package is replaced by the content of the new tarball.
 */
export function consumerOf(sdk: SdkLine, packageManager: PackageManager = 'npm'): Promise<Consumer> {
  return cachedConsumer({ sdk, packageManager });
}

/**
 * Returns a separate consumer with more dependencies: third-party tools and frameworks that the workspace does not
 * have.
 */
export function consumerWith(sdk: SdkLine, extras: Extras): Promise<Consumer> {
  return cachedConsumer({ sdk, packageManager: 'npm', extras });
}

function cachedConsumer(recipe: Recipe): Promise<Consumer> {
  const key = nameOf(recipe);
  let consumer = consumers.get(key);
  if (!consumer) {
    consumer = makeConsumer(recipe);
    consumers.set(key, consumer);
  }
  return consumer;
}

function nameOf({ sdk, packageManager, extras }: Recipe): string {
  return [packageManager, sdk, ...(extras ? [extras.name] : [])].join('-');
}

async function makeConsumer(recipe: Recipe): Promise<Consumer> {
  const { sdk, packageManager, extras } = recipe;
  const built = await builtPackage();
  const name = nameOf(recipe);
  const dependencies = hashOf({ ...dependenciesOf(sdk), ...extras?.dependencies });
  const base = await makeFolderOnce(
    path.join(cacheDirectory, `base-${name}-${dependencies}-${built.manifestHash}`),
    (scratch) => install(scratch, recipe, built.tarball),
  );
  const directory = await makeFolderOnce(
    path.join(cacheDirectory, `${name}-${dependencies}-${built.manifestHash}-${built.hash}`),
    async (scratch) => {
      await linkTree(base, scratch);
      await replacePackage(scratch, built);
    },
  );
  await removeUnused();
  return { directory, sdk, packageManager };
}

function hashOf(dependencies: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(dependencies)).digest('hex').slice(0, 12);
}

/** Installs into an empty folder, as a user does. */
async function install(directory: string, { sdk, packageManager, extras }: Recipe, tarball: string): Promise<void> {
  await writeFile(path.join(directory, 'package.json'), manifestOf(sdk, extras?.dependencies));
  // npm passes its settings to its scripts as variables. The settings of the workspace must not reach the consumer.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD|NODE)/i.test(name)));
  if (process.env['NODE_EXTRA_CA_CERTS']) env['NODE_EXTRA_CA_CERTS'] = process.env['NODE_EXTRA_CA_CERTS'];
  if (packageManager === 'npm') {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
    await run('npm', ['install', ...flags, tarball], { cwd: directory, env });
  } else {
    const [command, ...args] = pnpmCommand;
    const flags = ['--ignore-workspace', '--ignore-scripts', '--prefer-offline'];
    await run(command, [...args, 'add', ...flags, tarball], { cwd: directory, env });
  }
  await assertOneCopy(directory);
}

/** Two copies of @opentelemetry/instrumentation would have two registries of instrumentations. */
async function assertOneCopy(directory: string): Promise<void> {
  const manifests = (await readdir(path.join(directory, 'node_modules'), { recursive: true })).filter((file) =>
    file.endsWith(path.join('@opentelemetry', 'instrumentation', 'package.json')),
  );
  const copies = new Set(
    await Promise.all(manifests.map((file) => realpath(path.join(directory, 'node_modules', file)))),
  );
  if (copies.size !== 1) {
    throw new Error(
      `Expected one copy of @opentelemetry/instrumentation in ${directory}, got ${[...copies].join(', ')}.`,
    );
  }
}

async function replacePackage(directory: string, built: BuiltPackage): Promise<void> {
  const installed = await realpath(path.join(directory, 'node_modules/@loopwatch/instrumentation-event-loop'));
  const scratch = await mkdtemp(path.join(directory, 'unpacking-'));
  await run('tar', ['-xzf', built.tarball, '-C', scratch]);
  await rm(installed, { recursive: true });
  await mkdir(path.dirname(installed), { recursive: true });
  await rename(path.join(scratch, 'package'), installed);
  await rm(scratch, { recursive: true });
}

async function removeUnused(): Promise<void> {
  const names = await readdir(cacheDirectory);
  const oldest = Date.now() - keptForMs;
  for (const name of names.filter((entry) => /^(npm|pnpm|package|making|packing|compile)-/.test(entry))) {
    const entry = path.join(cacheDirectory, name);
    if (!existsSync(entry)) continue;
    if ((await stat(entry)).mtimeMs < oldest) await rm(entry, { recursive: true, force: true });
  }
}
