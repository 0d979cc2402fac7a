import { runTests } from '../jest/run-tests.mjs';

/**
 * `npm run test:integration`: the tests of the full tier that are no unit tests, or the named files of them.
 * @param {readonly string[]} commandArguments
 */
export function main(commandArguments) {
  return runTests('full', commandArguments, ['waiting', 'integration', 'calm']);
}
