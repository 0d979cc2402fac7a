import { runSuite } from '../lib/jest.mjs';
import { prepare } from '../lib/prepare.mjs';

/**
 * `npm run test:e2e`: the tests of packages/e2e, against the real servers. Arguments go to Jest.
 * @param {readonly string[]} jestArguments
 */
export async function main(jestArguments) {
  await prepare();
  console.log('▸ End-to-end tests');
  return runSuite('e2e', jestArguments);
}
