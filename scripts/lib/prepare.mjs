import { tmpdir } from 'node:os';
import path from 'node:path';

import { build } from './build.mjs';
import { textFingerprint } from './fingerprint.mjs';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { rootDirectory } from './paths.mjs';

// Not in node_modules: pnpm may replace that folder while we hold the lock.
const lockFile = path.join(tmpdir(), `loopwatch-${textFingerprint([rootDirectory]).slice(0, 16)}.lock`);

/** Installs, then nothing. */
export function prepareInstall() {
  return withLock(lockFile, install);
}

/**
 * Installs and builds what has changed.
 * @param {string} [packageName] default: all packages
 */
export function prepare(packageName) {
  return withLock(lockFile, async () => {
    await install();
    await build(packageName);
  });
}
