import { runTests } from '../jest/run-tests.mjs';

/**
 * `npm test`: the tests of the inner tier, or the named files.
 * @param {readonly string[]} commandArguments
 */
export function main(commandArguments) {
  return runTests('inner', commandArguments);
}
