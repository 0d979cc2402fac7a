import { runPnpm } from '../lib/toolchain.mjs';

/**
 * `npm run pnpm -- add …`: the pinned pnpm, to change dependencies.
 * @param {readonly string[]} pnpmArguments
 */
export function main(pnpmArguments) {
  return runPnpm(pnpmArguments);
}
