import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';
import { goBuild, requireGo } from './go-toolchain.mjs';
import { withPlaceholders } from './placeholders.mjs';

/** @typedef {import('./parts.mjs').Part} Part */
/** @typedef {(line: string) => void} Log */

const progressIntervalMs = 15_000;

/** `LOOPWATCH_CACHE_DIR`, or a folder in the user's cache directory. */
export function binaryCacheDirectory() {
  const { LOOPWATCH_CACHE_DIR: chosen, XDG_CACHE_HOME: userCache } = process.env;
  return chosen ?? path.join(userCache ?? path.join(homedir(), '.cache'), 'loopwatch');
}

/**
 * Builds the parts that are not in the cache and returns the path of every binary by its name.
 * The key of a build is the content of its Go module, so that a changed version is a new build.
 * @param {readonly Part[]} wantedParts
 * @param {Log} log
 * @returns {Promise<Record<string, string>>}
 */
export async function ensureBuilt(wantedParts, log) {
  const cache = binaryCacheDirectory();
  const planned = wantedParts.map((part) => ({ part, directory: path.join(cache, `${part.name}-${buildKey(part)}`) }));
  const missing = planned.filter(({ part, directory }) => !isComplete(part, directory));
  if (missing.length > 0) requireGo(missing.map(({ part }) => part.title));
  for (const { part, directory } of missing) await build(part, directory, log);
  return Object.fromEntries(
    planned.flatMap(({ part, directory }) => part.binaries.map((name) => [name, path.join(directory, name)])),
  );
}

/**
 * @param {Part} part
 * @param {string} directory
 */
function isComplete(part, directory) {
  return part.binaries.every((name) => existsSync(path.join(directory, name)));
}

/** @param {Part} part */
function buildKey(part) {
  const hash = createHash('sha256');
  const { packages, tags, linkerFlags, isStatic, placeholders } = part;
  hash.update(
    JSON.stringify(
      [process.platform, process.arch, packages, tags, linkerFlags, isStatic, placeholders].filter(isDefined),
    ),
  );
  const moduleDirectory = path.join(rootDirectory, part.moduleDirectory);
  for (const name of readdirSync(moduleDirectory).sort()) {
    hash.update(`\0${name}\0`).update(readFileSync(path.join(moduleDirectory, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** @param {unknown} value */
function isDefined(value) {
  return value !== undefined;
}

/**
 * @param {Part} part
 * @param {string} directory
 * @param {Log} log
 */
async function build(part, directory, log) {
  const startedAtMs = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAtMs) / 1000)} s`;
  let progress = { downloadedModules: 0, compiledPackages: 0 };
  log(`${part.title}: building from its Go module (once; takes a few minutes) …`);
  const reporter = setInterval(() => {
    const { downloadedModules, compiledPackages } = progress;
    log(`${part.title}: ${downloadedModules} modules downloaded, ${compiledPackages} packages compiled, ${elapsed()}`);
  }, progressIntervalMs);

  // Built in a scratch folder that is then renamed, so that an interrupted build leaves nothing that looks complete.
  const unfinished = `${directory}.${randomUUID()}`;
  const sources = `${unfinished}.sources`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await goBuild({
      moduleDirectory: path.join(rootDirectory, part.moduleDirectory),
      packages: part.packages,
      tags: part.tags,
      linkerFlags: part.linkerFlags,
      isStatic: part.isStatic,
      moduleFile: part.placeholders && withPlaceholders(part.moduleDirectory, part.placeholders, sources),
      output: outputOf(part, unfinished),
      onProgress: (latest) => {
        progress = latest;
      },
    });
    rmSync(directory, { recursive: true, force: true });
    renameSync(unfinished, directory);
    log(`${part.title}: built in ${elapsed()}`);
  } finally {
    clearInterval(reporter);
    for (const scratch of [unfinished, sources]) rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * `go build -o` takes a file for one binary and a folder for several.
 * @param {Part} part
 * @param {string} directory
 */
function outputOf({ binaries: [name, ...others] }, directory) {
  return name !== undefined && others.length === 0 ? path.join(directory, name) : directory + path.sep;
}
