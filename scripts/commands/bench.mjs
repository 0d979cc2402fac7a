import path from 'node:path';

import { packagesDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { runPackageScript } from '../lib/toolchain.mjs';

/**
 * `npm run bench`: the `bench` script of packages/benchmarks.
 * @param {readonly string[]} benchmarkArguments
 */
export async function main(benchmarkArguments) {
  await prepare();
  return runPackageScript(path.join(packagesDirectory, 'benchmarks'), 'bench', benchmarkArguments);
}
