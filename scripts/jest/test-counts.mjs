/**
 * @typedef {object} TestCounts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * @param {readonly Omit<import('./results.mjs').JestResults, 'testResults'>[]} results one for each run of Jest
 * @returns {TestCounts}
 */
export function countTests(results) {
  return results.reduce(
    (counts, run) => ({
      passed: counts.passed + run.numPassedTests,
      failed: counts.failed + run.numFailedTests + run.numRuntimeErrorTestSuites,
      skipped: counts.skipped + run.numPendingTests + run.numTodoTests,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** @param {TestCounts} counts */
export function countLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * A run in which no test passed proves nothing.
 * @param {TestCounts} counts
 */
export function isGood({ passed, failed }) {
  return failed === 0 && passed > 0;
}
