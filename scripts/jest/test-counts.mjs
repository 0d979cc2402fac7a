/**
 * @typedef {object} TestCounts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * What of Jest's `--json` results is counted.
 * @typedef {object} JestResults
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites files that could not run at all, whose tests Jest therefore cannot count
 */

/**
 * @param {readonly JestResults[]} results one a suite
 * @returns {TestCounts}
 */
export function countTests(results) {
  return results.reduce(
    (counts, suite) => ({
      passed: counts.passed + suite.numPassedTests,
      failed: counts.failed + suite.numFailedTests + suite.numRuntimeErrorTestSuites,
      skipped: counts.skipped + suite.numPendingTests + suite.numTodoTests,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/**
 * Tests that failed once and passed when they were tried again.
 * @param {readonly { testResults?: readonly { assertionResults: readonly { status: string, fullName: string, invocations?: number }[] }[] }[]} results
 * @returns {string[]}
 */
export function passedOnSecondTry(results) {
  return results
    .flatMap(({ testResults = [] }) => testResults)
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, invocations = 1 }) => status === 'passed' && invocations > 1)
    .map(({ fullName }) => fullName);
}

/** @param {TestCounts} counts */
export function countLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * A run in which nothing passed has shown nothing.
 * @param {TestCounts} counts
 */
export function isGood({ passed, failed }) {
  return failed === 0 && passed > 0;
}
