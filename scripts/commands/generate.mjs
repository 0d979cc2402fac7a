import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';
import { install } from '../lib/prepare.mjs';
import { programStep } from '../lib/progress.mjs';
import { runPackageScript } from '../lib/toolchain.mjs';

/**
 * `npm run generate`: writes what is made of typed sources, first of the registry of names, then dashboards and rules;
 * commit it together with its source.
 */
export async function main() {
  await install();
  for (const name of ['semconv', 'dashboards']) {
    await programStep(`Generate: ${name}`, () => runPackageScript(path.join(rootDirectory, name), 'generate'));
  }
  return 0;
}
