import path from 'node:path';

import { packagesDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { runPackageScript } from '../lib/toolchain.mjs';

/**
 * `npm run test:field`: programs of the npm registry with and without Loopwatch, the `field` script of packages/field.
 * @param {readonly string[]} fieldArguments
 */
export async function main(fieldArguments) {
  await prepare();
  return runPackageScript(path.join(packagesDirectory, 'field'), 'field', fieldArguments);
}
