import { runTests } from '../jest/run-tests.mjs';

/**
 * `npm run test:full`: the tests of the full tier, or the named files.
 * @param {readonly string[]} commandArguments
 */
export function main(commandArguments) {
  return runTests('full', commandArguments);
}
