import { runSuite } from '../lib/jest.mjs';
import { prepare } from '../lib/prepare.mjs';

/**
 * `npm test`: unit tests side by side, then `*.integration.test.ts` one after the other.
 * Arguments go to Jest: `npm test -- lag` runs the files whose path contains "lag".
 * @param {readonly string[]} jestArguments
 */
export async function main(jestArguments) {
  await prepare();
  console.log('▸ Unit tests');
  const unitExitCode = await runSuite('unit', jestArguments);
  console.log('▸ Integration tests');
  const integrationExitCode = await runSuite('integration', jestArguments);
  return unitExitCode === 0 ? integrationExitCode : unitExitCode;
}
