import { readFileSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const repositoryDirectory = path.resolve(import.meta.dirname, '../../..');

/** The package under test. */
export const packageDirectory = path.join(repositoryDirectory, 'packages/instrumentation-event-loop');

/** The programs' side: ./truth.cjs and the telemetry preloads. */
export const kitDirectory = path.resolve(import.meta.dirname, '../kit');

/** Builds the programs of a folder: `node <script> <folder>`. */
export const buildScript = path.resolve(import.meta.dirname, 'build-programs.ts');

// Outside the repository, so that a consumer resolves nothing from its node_modules, and with no folder of that name in
// the path, so that its programs count as application code.
/** Where consumers live; kept between runs. */
export const cacheDirectory = path.join(
  realpathSync(process.env.LOOPWATCH_CONSUMERS_DIR ?? os.tmpdir()),
  `loopwatch-consumers-${os.userInfo().username}`,
);

/** The pnpm that the workspace pins. */
export const pnpmCommand: readonly [string, ...string[]] = ['npx', '--yes', pinnedPackageManager()];

function pinnedPackageManager(): string {
  const manifest = JSON.parse(readFileSync(path.join(repositoryDirectory, 'package.json'), 'utf8')) as {
    packageManager: string;
  };
  // The hash that may follow is Corepack's.
  return manifest.packageManager.split('+')[0]!;
}
