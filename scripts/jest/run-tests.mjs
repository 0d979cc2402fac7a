import { findChromium } from './chromium.mjs';
import { runJest } from './run-jest.mjs';
import { emptyTestResults, readTestResults } from './results.mjs';
import { slowestFiles } from './slowest-files.mjs';
import { allTestFiles, isInTier, isNamed } from './test-files.mjs';
import { Failure } from '../lib/failure.mjs';
import { prepare } from '../lib/prepare.mjs';

/** @typedef {import('./test-files.mjs').Tier} Tier */
/** @typedef {import('./test-files.mjs').TestFile} TestFile */

const usage = `Usage: npm test -- [part of a path …] [Jest's options]

  npm test                     unit tests, and integration tests on Node 24 and SDK 3.x
  npm run test:full            all that CI runs, on every Node major and SDK line
  npm run test:unit            of it, the unit tests
  npm run test:integration     of it, the others
  npm run test:long            the tests that take long
  npm run test:e2e             end-to-end tests against the real servers
  npm run test:kubernetes      tests in a real Kubernetes, as root on Linux

  npm test -- lag              the test files of any tier whose path contains "lag", on Node 24 and SDK 3.x
  npm run test:full -- lag     the same files, on every Node major and SDK line that they name
  npm test -- lag -t 'words'   what follows the first dash goes to Jest

jest.config.mjs says how a file's name puts it into a tier.`;

/** Ended by a signal, as a shell has it. */
const firstSignalExitCode = 129;

/**
 * The runs of a tier: unit tests, then the other tests side by side, then one by one those that need a calm machine. The
 * programs of a waiting file leave room for each other.
 * @typedef {'unit' | 'waiting' | 'integration' | 'calm'} TierRun
 * @type {Readonly<Record<TierRun, { readonly title: string, readonly includes: (file: TestFile) => boolean }>>}
 */
const tierRuns = {
  unit: { title: 'Unit tests', includes: ({ kind }) => kind === 'unit' },
  waiting: { title: 'Integration tests that mostly wait', includes: ({ mostlyWaits }) => mostlyWaits },
  integration: {
    title: 'Integration tests',
    includes: ({ kind, needsCalm, mostlyWaits }) => kind !== 'unit' && !needsCalm && !mostlyWaits,
  },
  calm: { title: 'Tests that need a calm machine', includes: ({ needsCalm }) => needsCalm },
};

/** @type {readonly TierRun[]} */
const allRuns = ['unit', 'waiting', 'integration', 'calm'];

/**
 * Runs the tests of a tier or, if the arguments name files, those files of all tiers, and prints the slowest files.
 * @param {Tier} tier
 * @param {readonly string[]} commandArguments
 * @param {readonly TierRun[]} [runs] only these
 * @returns {Promise<number>} the exit code
 */
export async function runTests(tier, commandArguments, runs = allRuns) {
  if (commandArguments.includes('--help')) {
    console.log(usage);
    return 0;
  }
  const { fragments, jestArguments } = splitArguments(commandArguments);
  const files = withoutMissingBrowser(selectFiles(tier, fragments), fragments);
  if (files.length === 0) console.log(`No test file is in the ${tier} tier.`);
  await prepare();
  emptyTestResults(runs);
  const exitCode = await runInTurn(runs, files, { tier, jestArguments });
  for (const line of slowestFiles(readTestResults(runs))) console.log(line);
  return exitCode;
}

/**
 * What stands before the first option names files; an option and all that follows it is Jest's.
 * @param {readonly string[]} commandArguments
 */
export function splitArguments(commandArguments) {
  const firstOption = commandArguments.findIndex((argument) => argument.startsWith('-'));
  const end = firstOption === -1 ? commandArguments.length : firstOption;
  return { fragments: commandArguments.slice(0, end), jestArguments: commandArguments.slice(end) };
}

/**
 * @param {Tier} tier
 * @param {readonly string[]} fragments
 */
function selectFiles(tier, fragments) {
  const files = allTestFiles().filter(({ kind }) => kind !== 'e2e' && kind !== 'kubernetes');
  if (fragments.length === 0) return files.filter((file) => isInTier(file, tier));
  const named = files.filter((file) => isNamed(file, fragments));
  if (named.length > 0) return named;
  throw new Failure(
    `Expected a part of the path of a test file, got ${fragments.join(' ')}. ` +
      '`npm run test:e2e` runs the files of packages/e2e; `npm test -- --help` says more.',
  );
}

/**
 * @param {readonly TestFile[]} files
 * @param {readonly string[]} fragments
 */
function withoutMissingBrowser(files, fragments) {
  const canRun = findChromium() !== undefined || process.env['CI'] === 'true' || fragments.length > 0;
  if (canRun || !files.some(({ needsBrowser }) => needsBrowser)) return files;
  console.log(
    'No Chromium found: the tests under test/page/ are left out. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
  );
  return files.filter(({ needsBrowser }) => !needsBrowser);
}

/**
 * @param {readonly TierRun[]} runs
 * @param {readonly TestFile[]} files
 * @param {{ tier: Tier, jestArguments: readonly string[] }} options
 */
async function runInTurn(runs, files, options) {
  let exitCode = 0;
  for (const run of runs) {
    const { title, includes } = tierRuns[run];
    const itsFiles = files.filter(includes);
    if (itsFiles.length === 0) continue;
    console.log(`▸ ${title}: ${itsFiles.length} ${itsFiles.length === 1 ? 'file' : 'files'}`);
    const itsExitCode = await runJest(run, itsFiles, options);
    if (itsExitCode >= firstSignalExitCode) return itsExitCode;
    if (exitCode === 0) exitCode = itsExitCode;
  }
  return exitCode;
}
