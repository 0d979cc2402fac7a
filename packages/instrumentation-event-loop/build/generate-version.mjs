import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const packageDirectory = path.resolve(import.meta.dirname, '..');
const versionFile = path.join(packageDirectory, 'src/version.ts');

/** Writes the version in package.json to src/version.ts: the tracer and the meter carry it. */
export function generateVersion() {
  const { version } = JSON.parse(readFileSync(path.join(packageDirectory, 'package.json'), 'utf8'));
  const text = `// Generated from package.json by build/generate-version.mjs: do not edit.
export const PACKAGE_VERSION = '${version}';
`;
  if (currentText() !== text) writeFileSync(versionFile, text);
}

function currentText() {
  try {
    return readFileSync(versionFile, 'utf8');
  } catch {
    return undefined;
  }
}
