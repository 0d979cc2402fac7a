/**
 * @typedef {import('./results.mjs').JestResults} JestResults
 * @typedef {import('./results.mjs').TestFileResult} TestFileResult
 */

/**
 * Of how many files at most tests run once more in CI: with more that failed, the reason is not the host.
 * @type {Readonly<Record<string, number>>}
 */
const maxRepeatedFiles = { calm: 4, waiting: 1, integration: 1 };

/**
 * The failed files of a run whose failed tests run once more in CI.
 * @param {string} run
 * @param {JestResults} results
 */
export function filesToRepeat(run, { testResults }) {
  const failed = testResults.filter(({ status }) => status === 'failed');
  return failed.length <= (maxRepeatedFiles[run] ?? 0) ? failed : [];
}

/**
 * The results of a run in which tests ran a second time: their second result counts, and a test that failed first and then
 * passed is in `repeatedTests`.
 * @param {JestResults} first
 * @param {JestResults} second of the tests that ran again; the others of their files are pending
 * @returns {JestResults}
 */
export function withRepeatedFiles(first, second) {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const known = new Set(first.testResults.map(({ name }) => name));
  const replaced = first.testResults.filter(({ name }) => again.has(name));
  const testResults = [
    ...first.testResults.map((file) => merged(file, again.get(file.name))),
    ...second.testResults.filter(({ name }) => !known.has(name)),
  ];
  return {
    ...first,
    numPassedTests: testsOf(testResults, 'passed').length,
    numFailedTests: testsOf(testResults, 'failed').length,
    numPendingTests: testsOf(testResults, 'pending').length,
    numTodoTests: testsOf(testResults, 'todo').length,
    numRuntimeErrorTestSuites: testResults.filter(couldNotRun).length,
    testResults,
    repeatedTests: replaced.map((file) => failuresThatPassed(file, second)).filter(hasFailures),
  };
}

/**
 * The names of what failed, as a pattern for Jest; undefined where a file could not run, whose tests have no names.
 * @param {readonly TestFileResult[]} files
 */
export function patternOfFailures(files) {
  if (files.some(couldNotRun)) return undefined;
  const names = testsOf(files, 'failed').map(({ fullName }) => fullName.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return `^(${names.join('|')})$`;
}

/**
 * @param {TestFileResult} first
 * @param {TestFileResult | undefined} second
 * @returns {TestFileResult}
 */
function merged(first, second) {
  if (second === undefined) return first;
  if (couldNotRun(first) || couldNotRun(second)) return second;
  const later = new Map(second.assertionResults.map((test) => [test.fullName, test]));
  const assertionResults = first.assertionResults.map((test) => {
    const repeated = later.get(test.fullName);
    return repeated === undefined || repeated.status === 'pending' ? test : repeated;
  });
  return { ...second, assertionResults };
}

/**
 * What failed of a file in the first run and did not in the second.
 * @param {TestFileResult} file
 * @param {JestResults} second
 * @returns {TestFileResult}
 */
function failuresThatPassed(file, second) {
  const passed = testsOf(
    second.testResults.filter(({ name }) => name === file.name),
    'passed',
  ).map(({ fullName }) => fullName);
  const assertionResults = testsOf([file], 'failed').filter(({ fullName }) => passed.includes(fullName));
  return { ...file, message: couldNotRun(file) && passed.length > 0 ? file.message : '', assertionResults };
}

/** @param {TestFileResult} file */
function hasFailures(file) {
  return file.assertionResults.length > 0 || couldNotRun(file);
}

/** @param {TestFileResult} file */
function couldNotRun({ assertionResults, message }) {
  return assertionResults.length === 0 && message !== '';
}

/**
 * @param {readonly TestFileResult[]} files
 * @param {string} status
 */
function testsOf(files, status) {
  return files.flatMap(({ assertionResults }) => assertionResults.filter((test) => test.status === status));
}
