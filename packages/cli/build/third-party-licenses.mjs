import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A plugin for Rolldown and Vite. It writes the licences of all bundled packages to `licenses-<name>.txt` beside the
 * bundle: the licences require their text to accompany copies.
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

/** @param {string} directory */
function licenseOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text =
    file !== undefined && existsSync(path.join(directory, file))
      ? readFileSync(path.join(directory, file), 'utf8')
      : '';
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
