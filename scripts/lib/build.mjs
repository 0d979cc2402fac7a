import { readFileSync } from 'node:fs';
import path from 'node:path';

import { outputFingerprint, sourceFingerprint, textFingerprint } from './fingerprint.mjs';
import { workspacePackages, withDependencies } from './packages.mjs';
import { rootDirectory } from './paths.mjs';
import { programStep } from './progress.mjs';
import { readStamp, removeStamp, writeStamp } from './stamp.mjs';
import { runPackageScript } from './toolchain.mjs';

/** @typedef {import('./packages.mjs').WorkspacePackage} WorkspacePackage */

/**
 * Builds all packages, or one with all it needs; leaves alone what is built from the same sources already.
 * @param {string} [packageName]
 */
export async function build(packageName) {
  const all = workspacePackages();
  const packages = packageName === undefined ? all : withDependencies(all, packageName);
  const shared = sharedFingerprint();
  /** @type {Map<string, string>} */
  const fingerprints = new Map();
  for (const member of packages) {
    // A package is built anew when one it depends on is: bundles and types contain what they import.
    const inputs = textFingerprint([
      shared,
      sourceFingerprint(member.directory),
      ...member.workspaceDependencies.map((name) => fingerprints.get(name) ?? ''),
    ]);
    fingerprints.set(member.name, inputs);
    if (member.scripts['build'] !== undefined) await buildPackage(member, inputs);
  }
}

/**
 * @param {WorkspacePackage} member
 * @param {string} inputs
 */
async function buildPackage(member, inputs) {
  const stampName = `build-${path.basename(member.directory)}`;
  const outputDirectory = path.join(member.directory, 'dist');
  const stampText = () => `${inputs} ${outputFingerprint(outputDirectory)}`;
  if (readStamp(stampName) === stampText()) return;
  removeStamp(stampName);
  await programStep(`Build ${member.name}`, () => runPackageScript(member.directory, 'build'));
  writeStamp(stampName, stampText());
}

function sharedFingerprint() {
  return textFingerprint(
    ['pnpm-lock.yaml', 'tsconfig.base.json'].map((name) => readFileSync(path.join(rootDirectory, name), 'utf8')),
  );
}
