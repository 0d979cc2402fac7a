import { readFileSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const repositoryDirectory = path.resolve(import.meta.dirname, '../../..');

/** The package under test. */
export const packageDirectory = path.join(repositoryDirectory, 'packages/instrumentation-event-loop');

/** What the programs load: truth.cjs and the telemetry preloads. */
export const kitDirectory = path.resolve(import.meta.dirname, '../kit');

/** The script that builds the programs of a folder: `node <script> <folder>`. */
export const buildScript = path.resolve(import.meta.dirname, 'build-programs.ts');

// It lies outside the repository, so that a consumer resolves nothing from the repository's node_modules. No part of
// the path is named node_modules, so that its programs count as application code.
/** The folder of the consumers, which is kept between runs. */
export const cacheDirectory = path.join(
  realpathSync(process.env['LOOPWATCH_CONSUMERS_DIR'] ?? os.tmpdir()),
  `loopwatch-consumers-${os.userInfo().username}`,
);

/** The command of the pnpm version that the workspace pins. */
export const pnpmCommand: readonly [string, ...string[]] = ['npx', '--yes', pinnedPackageManager()];

function pinnedPackageManager(): string {
  const manifest = JSON.parse(readFileSync(path.join(repositoryDirectory, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  // After the version, Corepack may have added a hash.
  return manifest.packageManager.split('+')[0]!;
}
