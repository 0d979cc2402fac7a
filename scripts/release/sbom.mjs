import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Failure } from '../lib/failure.mjs';

/** @typedef {{ name: string, version: string, license: string }} BundledPackage */
/**
 * What is read here of a CycloneDX document; the rest is kept.
 * @typedef {{ 'bom-ref': string, name?: string, group?: string, [field: string]: unknown }} Component
 * @typedef {object} Sbom
 * @property {{ component: Component }} metadata
 * @property {Component[]} components
 * @property {{ ref: string, dependsOn?: string[] }[]} dependencies
 */

/**
 * Writes a software bill of materials (CycloneDX) of a package, from its tarball: `npm sbom` lists what an installation
 * brings. The packages that the build has bundled are in no manifest; their licence files name them.
 * @param {import('../lib/packages.mjs').WorkspacePackage} member
 * @param {string} tarball
 * @param {string} file to write
 */
export function writeSbom(member, tarball, file) {
  const sbom = JSON.parse(installedSbom(tarball));
  const bundled = bundledPackages(path.join(member.directory, 'dist'));
  const complete = withBundled(sbom, member.name, bundled);
  writeFileSync(file, `${JSON.stringify(complete, null, 2)}\n`);
  return { componentCount: complete.components.length };
}

/** @param {string} tarball */
function installedSbom(tarball) {
  const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-sbom-'));
  try {
    writeFileSync(path.join(directory, 'package.json'), '{ "name": "sbom", "version": "0.0.0", "private": true }\n');
    // Peers are the application's own packages, in its own versions.
    const install = ['install', '--package-lock-only', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', tarball];
    npm(install, directory);
    return npm(['sbom', '--package-lock-only', '--legacy-peer-deps', '--sbom-format', 'cyclonedx'], directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} npmArguments
 * @param {string} cwd
 */
function npm(npmArguments, cwd) {
  return execFileSync('npm', npmArguments, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * The packages in the files `licenses-<bundle>.txt` that the build writes.
 * @param {string} directory
 * @returns {BundledPackage[]}
 */
function bundledPackages(directory) {
  const texts = readdirSync(directory)
    .filter((name) => /^licenses-.*\.txt$/.test(name))
    .map((name) => readFileSync(path.join(directory, name), 'utf8'));
  const titles = new Set(texts.flatMap((text) => text.match(licenseTitle) ?? []));
  return [...titles].sort().map((title) => {
    const [, name = '', version = '', license = ''] = /^(\S+) (\S+) \((.+)\)$/.exec(title) ?? [];
    return { name, version, license };
  });
}

const licenseTitle = /^(?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S* \(.+\)$/gm;

/**
 * Makes the package the subject of the document, and adds what is bundled in it.
 * @param {Sbom} sbom of the empty application that installs the package
 * @param {string} name
 * @param {readonly BundledPackage[]} bundled
 * @returns {Sbom}
 */
export function withBundled(sbom, name, bundled) {
  const subject = sbom.components.find((component) => nameOf(component) === name);
  if (subject === undefined) throw new Failure(`Expected ${name} in its software bill of materials, found none.`);
  const installed = sbom.components.filter((component) => component !== subject);
  const isInstalled = new Set(installed.map((component) => component['bom-ref']));
  const components = bundled.map(componentOf);
  const added = components.filter((component) => !isInstalled.has(component['bom-ref']));
  const application = sbom.metadata.component['bom-ref'];
  return {
    ...sbom,
    // The address of the subject would be a path of this machine.
    metadata: { ...sbom.metadata, component: { ...subject, externalReferences: [] } },
    components: [...installed, ...added],
    dependencies: [
      ...sbom.dependencies
        .filter(({ ref }) => ref !== application)
        .map(({ ref, dependsOn = [] }) => {
          const contained = ref === subject['bom-ref'] ? components.map((component) => component['bom-ref']) : [];
          return { ref, dependsOn: [...new Set([...dependsOn, ...contained])] };
        }),
      ...added.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  };
}

/**
 * @param {BundledPackage} bundled
 * @returns {Component}
 */
function componentOf({ name, version, license }) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace(/^@/, '%40')}@${version}`,
    licenses: [{ expression: license }],
  };
}

/** @param {Component} component */
function nameOf({ group, name = '' }) {
  return group === undefined || name.startsWith('@') ? name : `${group}/${name}`;
}
