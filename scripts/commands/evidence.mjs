import path from 'node:path';

import { packagesDirectory } from '../lib/paths.mjs';
import { prepare } from '../lib/prepare.mjs';
import { runPackageScript } from '../lib/toolchain.mjs';

/**
 * `npm run evidence`: records busy periods and judges them again, the `evidence` script of the instrumentation; see
 * packages/instrumentation-event-loop/test/evidence/README.md.
 * @param {readonly string[]} evidenceArguments
 */
export async function main(evidenceArguments) {
  await prepare();
  return runPackageScript(path.join(packagesDirectory, 'instrumentation-event-loop'), 'evidence', evidenceArguments);
}
