import { findChromium } from '../jest/chromium.mjs';
import { runSuite } from '../jest/suite.mjs';
import { prepare } from '../lib/prepare.mjs';

/**
 * `npm test`: unit tests side by side, then `*.integration.test.ts` one after the other, then those of the pages in a
 * browser. Arguments go to Jest: `npm test -- lag` runs the files whose path contains "lag".
 * @param {readonly string[]} jestArguments
 */
export async function main(jestArguments) {
  await prepare();
  console.log('▸ Unit tests');
  const exitCodes = [await runSuite('unit', jestArguments)];
  console.log('▸ Integration tests');
  exitCodes.push(await runSuite('integration', jestArguments));
  if (findChromium() !== undefined || process.env['CI'] === 'true') {
    console.log('▸ Browser tests');
    exitCodes.push(await runSuite('browser', jestArguments));
  } else {
    console.log(
      '▸ Browser tests: left out, for there is no Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
    );
  }
  return exitCodes.find((exitCode) => exitCode !== 0) ?? 0;
}
