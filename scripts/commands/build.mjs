import { prepare } from '../lib/prepare.mjs';

/** `npm run build`: installs, and builds every package whose sources changed. */
export async function main() {
  await prepare();
  return 0;
}
