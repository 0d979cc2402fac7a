import { runTests } from '../jest/run-tests.mjs';

/**
 * `npm run test:unit`: the unit tests of the full tier, or the named files of them.
 * @param {readonly string[]} commandArguments
 */
export function main(commandArguments) {
  return runTests('full', commandArguments, ['unit']);
}
