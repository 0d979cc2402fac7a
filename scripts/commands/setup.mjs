import { install } from '../lib/prepare.mjs';

/** `npm run setup`: installs the workspace, its Node versions included. */
export async function main() {
  await install();
  return 0;
}
