import path from 'node:path';

import { packagesDirectory } from '../lib/paths.mjs';
import { install } from '../lib/prepare.mjs';
import { runPackageScript } from '../lib/toolchain.mjs';

/**
 * `npm run site`: the documentation as a site, in packages/site/dist.
 * @param {readonly string[]} siteArguments
 */
export async function main(siteArguments) {
  await install();
  return runPackageScript(path.join(packagesDirectory, 'site'), 'site', siteArguments);
}
