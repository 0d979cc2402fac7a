import path from 'node:path';

import { packagesDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { run } from '../lib/run.mjs';
import { workspaceEnvironment, workspaceNode } from '../lib/toolchain.mjs';

/**
 * `npm start`: the demo service with traffic, until `--duration` has passed or Ctrl-C.
 * @param {readonly string[]} demoArguments
 */
export async function main(demoArguments) {
  await prepare();
  const entry = path.join(packagesDirectory, 'demo/dist/main.mjs');
  return run(await workspaceNode(), [entry, ...demoArguments], { env: workspaceEnvironment() });
}
