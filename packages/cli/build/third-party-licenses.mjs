import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** They ask for their text and the copyright notice beside copies, and for nothing of the code that uses them. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
]);
/** Apache-2.0 asks for the text of a NOTICE file, too. */
const TEXT_FILES = [/^(licen[cs]e|copying)(\.(md|txt))?$/i, /^notice(\.(md|txt))?$/i];

/**
 * A plugin for Rolldown and Vite. It writes the licences of all bundled packages to `licenses-<name>.txt` beside the
 * bundle: the licences require their text to accompany copies. The build fails where a licence is not allowed, or has no
 * text.
 * @param {string} name
 */
export function thirdPartyLicenses(name) {
  return {
    name: 'third-party-licenses',
    /**
     * @this {{ emitFile(file: { type: 'asset', fileName: string, source: string }): unknown }}
     * @param {unknown} _options
     * @param {Record<string, { type: string, moduleIds?: readonly string[] }>} bundle
     */
    generateBundle(_options, bundle) {
      const directories = new Set(
        Object.values(bundle).flatMap((output) => (output.moduleIds ?? []).flatMap((id) => packageDirectory(id) ?? [])),
      );
      const texts = [...directories].map(licenseOf).sort();
      this.emitFile({
        type: 'asset',
        fileName: `licenses-${name}.txt`,
        source: `${texts.join(`\n${'-'.repeat(80)}\n\n`)}`,
      });
    },
  };
}

/**
 * Directory of the package that contains the module.
 * @param {string} id
 */
function packageDirectory(id) {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id.replace(/^\0/, ''));
  return match?.[1];
}

/**
 * The licence of the package in a directory: its name, and its text with that of its notice. Throws if it is not allowed.
 * @param {string} directory
 */
export function licenseOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  if (!isAllowed(String(license))) {
    throw new Error(
      `Expected a licence among ${[...ALLOWED].join(', ')} of ${name} ${version}, got ${license}. Bundle another package, or look at the licence and allow it in packages/cli/build/third-party-licenses.mjs.`,
    );
  }
  const entries = readdirSync(directory).sort();
  const [text, notice] = TEXT_FILES.map((pattern) =>
    entries
      .filter((entry) => pattern.test(entry))
      .map((entry) => readFileSync(path.join(directory, entry), 'utf8').trim()),
  );
  if (!text?.length)
    throw new Error(`Expected a file with the licence of ${name} ${version} in its package, found none.`);
  return `${name} ${version} (${license})\n\n${[...text, ...(notice ?? [])].join('\n\n')}\n`;
}

/**
 * Of a choice, `(MIT OR GPL-3.0)`, one is enough. Other expressions are for a person to judge.
 * @param {string} license
 */
function isAllowed(license) {
  return license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((each) => ALLOWED.has(each));
}
