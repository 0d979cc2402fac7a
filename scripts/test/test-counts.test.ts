import { describe, expect, test } from '@jest/globals';

import { together } from '../jest/results.mjs';
import { countLine, countTests, isGood } from '../jest/test-counts.mjs';

const run = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('the count of all runs', () => {
  test('sums what the runs report', () => {
    const counts = countTests([
      { ...run, numPassedTests: 3, numPendingTests: 1 },
      { ...run, numPassedTests: 4, numFailedTests: 2, numTodoTests: 1 },
    ]);
    expect(countLine(counts)).toBe('7 passed, 2 failed, 2 skipped');
  });

  test('does not mention skipped tests if there are none', () => {
    expect(countLine(countTests([{ ...run, numPassedTests: 3 }]))).toBe('3 passed, 0 failed');
  });

  test('counts a file that could not run at all as a failure', () => {
    expect(countTests([{ ...run, numPassedTests: 3, numRuntimeErrorTestSuites: 1 }]).failed).toBe(1);
  });

  test('is good if a test passed and none failed', () => {
    expect(isGood({ passed: 1, failed: 0, skipped: 5 })).toBe(true);
    expect(isGood({ passed: 1, failed: 1, skipped: 0 })).toBe(false);
  });

  test('is not good if no test ran', () => {
    expect(isGood(countTests([]))).toBe(false);
  });
});

test('the results of two runs add up', () => {
  const file = { name: 'a.test.ts', startTime: 0, endTime: 1, status: 'failed', message: '', assertionResults: [] };
  const both = together(
    { ...run, numPassedTests: 3, numPendingTests: 1, testResults: [file] },
    { ...run, numPassedTests: 4, numFailedTests: 2, numRuntimeErrorTestSuites: 1, testResults: [file] },
  );
  expect(countLine(countTests([both]))).toBe('7 passed, 3 failed, 1 skipped');
  expect(both.testResults).toEqual([file, file]);
});
