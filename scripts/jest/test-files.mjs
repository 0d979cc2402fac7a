import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { packagesDirectory, rootDirectory } from '../lib/paths.mjs';

/** @typedef {'inner' | 'full' | 'long'} Tier */
/** @typedef {'unit' | 'integration' | 'full' | 'long' | 'e2e' | 'kubernetes'} TestKind */

/**
 * @typedef {object} TestFile
 * @property {string} file relative to the checkout, with slashes
 * @property {TestKind} kind
 * @property {boolean} needsCalm
 * @property {boolean} mostlyWaits
 * @property {boolean} needsBrowser
 */

/** @type {Readonly<Record<Tier, readonly TestKind[]>>} */
const kindsOfTier = {
  inner: ['unit', 'integration'],
  full: ['unit', 'integration', 'full'],
  long: ['long'],
};

/**
 * Reads what the name of a test file says; the grammar stands in jest.config.mjs.
 * @param {string} file relative to the checkout
 * @returns {TestFile}
 */
export function readTestName(file) {
  const [, how, word] = /(?:\.(calm|waiting))?(?:\.(integration|full|long))?\.test\.ts$/.exec(file) ?? [];
  if (how !== undefined && word === undefined) {
    throw new Error(`Expected integration, full or long after "${how}" in the name of a test file, got ${file}.`);
  }
  const kind = kindOfFolder(file) ?? /** @type {TestKind} */ (word ?? 'unit');
  const needsBrowser = file.includes('/test/page/');
  return { file, kind, needsCalm: how === 'calm', mostlyWaits: how === 'waiting', needsBrowser };
}

/**
 * @param {string} file
 * @returns {TestKind | undefined}
 */
function kindOfFolder(file) {
  if (file.startsWith('packages/e2e/test/kubernetes/')) return 'kubernetes';
  return file.startsWith('packages/e2e/') ? 'e2e' : undefined;
}

/**
 * @param {TestFile} file
 * @param {Tier} tier
 */
export function isInTier({ kind, needsBrowser }, tier) {
  return kindsOfTier[tier].includes(kind) && !(tier === 'inner' && needsBrowser);
}

/**
 * Whether the path contains one of the fragments, in upper or lower case; without fragments it does.
 * @param {TestFile} file
 * @param {readonly string[]} fragments
 */
export function isNamed({ file }, fragments) {
  const lowerCase = file.toLowerCase();
  return fragments.length === 0 || fragments.some((fragment) => lowerCase.includes(fragment.toLowerCase()));
}

/** @returns {TestFile[]} every test file of the workspace */
export function allTestFiles() {
  return testDirectories().flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.split(path.sep).includes('fixtures'))
      .sort()
      .map((name) => readTestName(path.relative(rootDirectory, path.join(directory, name)).replaceAll(path.sep, '/'))),
  );
}

/** The `test` folder of every package, of the dashboards, of the conventions and of these scripts. */
export function testDirectories() {
  const packages = readdirSync(packagesDirectory).map((name) => path.join(packagesDirectory, name));
  return [...packages, ...['dashboards', 'semconv', 'scripts'].map((name) => path.join(rootDirectory, name))]
    .map((directory) => path.join(directory, 'test'))
    .filter((directory) => existsSync(directory));
}
