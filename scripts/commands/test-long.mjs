import { runTests } from '../jest/run-tests.mjs';

/**
 * `npm run test:long`: the tests of the long tier, or the named files.
 * @param {readonly string[]} commandArguments
 */
export function main(commandArguments) {
  return runTests('long', commandArguments);
}
