import { describe, expect, test } from '@jest/globals';

import { countLine, countTests, isGood, passedOnSecondTry } from '../jest/test-counts.mjs';

const suite = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('the count of all suites', () => {
  test('names the tests that passed on the second try only', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'steady', invocations: 1 },
      { status: 'passed', fullName: 'shaky', invocations: 2 },
      { status: 'failed', fullName: 'broken', invocations: 2 },
    ];
    expect(passedOnSecondTry([{ testResults: [{ assertionResults }] }, {}])).toEqual(['shaky']);
  });

  test('sums what the suites report', () => {
    const counts = countTests([
      { ...suite, numPassedTests: 3, numPendingTests: 1 },
      { ...suite, numPassedTests: 4, numFailedTests: 2, numTodoTests: 1 },
    ]);
    expect(countLine(counts)).toBe('7 passed, 2 failed, 2 skipped');
  });

  test('leaves out the skipped tests when there are none', () => {
    expect(countLine(countTests([{ ...suite, numPassedTests: 3 }]))).toBe('3 passed, 0 failed');
  });

  test('counts a file that could not run at all as a failure', () => {
    expect(countTests([{ ...suite, numPassedTests: 3, numRuntimeErrorTestSuites: 1 }]).failed).toBe(1);
  });

  test('is good when something passed and nothing failed', () => {
    expect(isGood({ passed: 1, failed: 0, skipped: 5 })).toBe(true);
    expect(isGood({ passed: 1, failed: 1, skipped: 0 })).toBe(false);
  });

  test('is not good when no test ran', () => {
    expect(isGood(countTests([]))).toBe(false);
  });
});
