import { runTests } from '../jest/run-tests.mjs';

const ASKED_OFTEN = '--asked-often';
/** Twenty times as often as by default. */
const ASKED_PER_SECOND = '100';

/** Parts of the paths of the tests in which a question at the wrong moment would change what a program does. */
export const askedOften = [
  'integration/endings',
  'integration/worker-ends',
  'integration/signals',
  'integration/hostile',
  'integration/interrupted-regexps',
  'integration/workers.calm',
  'corpus/corpus.calm.full',
  'field/test/field.calm',
];

/**
 * `npm run test:long`: the tests of the long tier, or the named files; then those of `askedOften`, with a hundred questions a
 * second for the time of the loop. `-- --asked-often` runs only these, or the named files in that way.
 * @param {readonly string[]} commandArguments
 */
export async function main(commandArguments) {
  const isAskedOften = commandArguments[0] === ASKED_OFTEN;
  if (!isAskedOften) {
    const exitCode = await runTests('long', commandArguments);
    if (commandArguments.length > 0 || exitCode !== 0) return exitCode;
  }
  const named = commandArguments.slice(1);
  process.env['LOOPWATCH_BUSY_SAMPLES_PER_SECOND'] = ASKED_PER_SECOND;
  console.log(`▸ Programs that are asked ${ASKED_PER_SECOND} times a second`);
  return runTests('full', named.length > 0 ? named : askedOften);
}
