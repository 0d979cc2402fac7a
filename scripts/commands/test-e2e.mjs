import { existsSync } from 'node:fs';
import path from 'node:path';

import { runSuite } from '../jest/suite.mjs';
import { packagesDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';

/**
 * `npm run test:e2e`: the tests of packages/e2e, against the real servers. Arguments go to Jest.
 * @param {readonly string[]} jestArguments
 */
export async function main(jestArguments) {
  await prepare();
  if (existsSync(path.join(packagesDirectory, 'e2e/test'))) {
    // Here and not in a test, since it takes minutes the first time and says how far it is.
    const stack = await import('./stack.mjs');
    const exitCode = await stack.main(['build']);
    if (exitCode !== 0) return exitCode;
  }
  console.log('▸ End-to-end tests');
  return runSuite('e2e', jestArguments);
}
