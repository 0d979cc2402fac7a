import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { Failure } from './failure.mjs';
import { rootDirectory } from './paths.mjs';
import { programStep } from './progress.mjs';
import { run } from './run.mjs';
import { pinnedPnpm, runPnpm, workspaceEnvironment, workspaceNode } from './toolchain.mjs';

/** Installs what the lockfile says, unless it is installed, and builds the packages whose sources changed. */
export async function prepare() {
  await install();
  await build();
}

/** Installs what the lockfile says, unless it is installed. */
export async function install() {
  if (isInstalled()) return;
  await programStep(`Install packages (${pinnedPnpm()}; the first install takes a minute)`, () =>
    runPnpm(['install', '--frozen-lockfile', '--reporter', 'append-only']),
  );
}

// pnpm could answer this itself, but starting it through npx takes one to two seconds, before every command.
function isInstalled() {
  /** The lockfile that pnpm installed last; it writes this copy when the installation is complete. */
  const installed = path.join(rootDirectory, 'node_modules/.pnpm/lock.yaml');
  const wanted = path.join(rootDirectory, 'pnpm-lock.yaml');
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted));
}

/** The order, inputs and outputs of the builds stand in the root package.json, under `wireit`. */
async function build() {
  const environment = {
    ...workspaceEnvironment(),
    // npm sets these for the script that it runs; wireit would run that script again, and wait for itself.
    npm_lifecycle_event: undefined,
    npm_package_json: undefined,
    // Without copies of old builds, which nothing would ever delete: a complete build takes four seconds.
    WIREIT_CACHE: 'none',
  };
  const exitCode = await run(await workspaceNode(), ['--run', 'build:packages'], { env: environment });
  if (exitCode !== 0) throw new Failure(`The build failed with exit code ${exitCode}, see above.`);
}
