import { install } from '../lib/prepare.mjs';
import { runTool } from '../lib/toolchain.mjs';

/**
 * `npm run changeset`: describes a change of a published package, for its changelog.
 * @param {readonly string[]} changesetArguments
 */
export async function main(changesetArguments) {
  await install();
  return runTool('changeset', changesetArguments);
}
