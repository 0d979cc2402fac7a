import process from 'node:process';

import { startInstrumentation } from './start.js';

/*
 * Loaded by `--require` into every Node.js process and worker thread below `loopwatch run`. It is CommonJS and required,
 * not imported: `--import` would make Node.js load the program's own entry point through the ES module loader.
 */

const OLDEST = [20, 6] as const;
/** What only starts the program; its own blocks interest nobody. */
const PACKAGE_MANAGER = /[\\/]node_modules[\\/](npm|pnpm|yarn|corepack|@yarnpkg[\\/][^\\/]+)[\\/]/;

function isSupported(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

if (isSupported() && !PACKAGE_MANAGER.test(process.argv[1] ?? '')) {
  try {
    startInstrumentation();
  } catch {
    // The program runs on unwatched. To say so here would write into its own output.
  }
}
