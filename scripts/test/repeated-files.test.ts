import path from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { failedTests, repeatedTests } from '../jest/failed-tests.mjs';
import { filesToRepeat, patternOfFailures, withRepeatedFiles } from '../jest/repeated-files.mjs';
import { countLine, countTests } from '../jest/test-counts.mjs';
import { rootDirectory } from '../lib/paths.mjs';

/** Results of Jest with these files: the name of each test, and its message if it failed. */
function resultsOf(files: Record<string, Record<string, string>>) {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name: path.join(rootDirectory, name),
    startTime: 0,
    endTime: 1,
    status: Object.values(tests).every((message) => message === '') ? 'passed' : 'failed',
    message: '',
    assertionResults: Object.entries(tests).map(([fullName, message]) => ({
      fullName,
      status: message === '' ? 'passed' : 'failed',
      failureMessages: message === '' ? [] : [message],
    })),
  }));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    numFailedTests: tests.filter(({ status }) => status === 'failed').length,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults,
  };
}

/** As Jest reports a file that could not be loaded. */
function brokenFile(name: string) {
  const file = { name: path.join(rootDirectory, name), startTime: 0, endTime: 1, assertionResults: [] };
  return {
    ...resultsOf({}),
    numRuntimeErrorTestSuites: 1,
    testResults: [{ ...file, status: 'failed', message: 'Cannot find module' }],
  };
}

test.each([
  ['calm', 4, 4],
  ['calm', 5, 0],
  ['waiting', 1, 1],
  ['waiting', 2, 0],
  ['integration', 1, 1],
  ['integration', 2, 0],
  ['unit', 1, 0],
  ['e2e', 1, 0],
])('of the %s tests, %d files that failed: %d run again', (run, failed, repeated) => {
  const files = Array.from({ length: failed }, (_, i) => [`${i}.test.ts`, { ends: 'too late' }] as const);
  const results = resultsOf({ ...Object.fromEntries(files), 'passed.test.ts': { ends: '' } });
  expect(filesToRepeat(run, results).map(({ name }) => path.basename(name))).toEqual(
    files.map(([name]) => name).slice(0, repeated),
  );
});

describe('the results of a run whose failed files ran again', () => {
  test('a test that passes the second time has passed, and is named', () => {
    const first = resultsOf({ 'a.test.ts': { waits: '', ends: 'too late' }, 'b.test.ts': { starts: '' } });
    const results = withRepeatedFiles(first, resultsOf({ 'a.test.ts': { waits: '', ends: '' } }));
    expect(countLine(countTests([results]))).toBe('3 passed, 0 failed');
    expect(failedTests([results])).toEqual([]);
    expect(repeatedTests([results])).toEqual(['↻ passed the second time: a.test.ts › ends', '    too late']);
  });

  test('a test that fails the second time has failed, also where another test of the file failed the first time', () => {
    const first = resultsOf({ 'a.test.ts': { waits: '', ends: 'too late' } });
    const results = withRepeatedFiles(first, resultsOf({ 'a.test.ts': { waits: 'too early', ends: '' } }));
    expect(countLine(countTests([results]))).toBe('1 passed, 1 failed');
    expect(failedTests([results])).toEqual(['✕ a.test.ts › waits', '    too early']);
    expect(repeatedTests([results])).toEqual(['↻ passed the second time: a.test.ts › ends', '    too late']);
  });

  test('a test that fails both times has failed, and is not named as one that passed', () => {
    const run = resultsOf({ 'a.test.ts': { ends: 'too late' } });
    const results = withRepeatedFiles(run, run);
    expect(countLine(countTests([results]))).toBe('0 passed, 1 failed');
    expect(repeatedTests([results])).toEqual([]);
  });

  test('a file that could not run counts as its second run', () => {
    const passed = withRepeatedFiles(brokenFile('a.test.ts'), resultsOf({ 'a.test.ts': { ends: '' } }));
    expect(countLine(countTests([passed]))).toBe('1 passed, 0 failed');
    expect(repeatedTests([passed])).toEqual(['↻ passed the second time: a.test.ts', '    Cannot find module']);
    const failed = withRepeatedFiles(brokenFile('a.test.ts'), brokenFile('a.test.ts'));
    expect(countLine(countTests([failed]))).toBe('0 passed, 1 failed');
    expect(repeatedTests([failed])).toEqual([]);
  });

  test('a test that did not run again keeps its first result', () => {
    const first = resultsOf({ 'a.test.ts': { waits: '', 'ends (soon)': 'too late' } });
    const second = resultsOf({ 'a.test.ts': { waits: '', 'ends (soon)': '' } });
    const [file] = second.testResults;
    const tests = file!.assertionResults.map((result, i) => (i === 0 ? { ...result, status: 'pending' } : result));
    const results = withRepeatedFiles(first, { ...second, testResults: [{ ...file!, assertionResults: tests }] });
    expect(countLine(countTests([results]))).toBe('2 passed, 0 failed');
    expect(repeatedTests([results])).toEqual(['↻ passed the second time: a.test.ts › ends (soon)', '    too late']);
  });
});

test('the pattern of what failed names the failed tests, and no other one', () => {
  const pattern = patternOfFailures(resultsOf({ 'a.test.ts': { 'ends (soon)': 'too late', ends: '' } }).testResults);
  expect(['ends (soon)', 'ends', 'ends soon'].map((name) => new RegExp(pattern!).test(name))).toEqual([
    true,
    false,
    false,
  ]);
  expect(patternOfFailures(brokenFile('a.test.ts').testResults)).toBeUndefined();
});
