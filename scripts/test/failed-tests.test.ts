import path from 'node:path';

import { expect, test } from '@jest/globals';

import { failedTests } from '../jest/failed-tests.mjs';
import { rootDirectory } from '../lib/paths.mjs';

const file = {
  name: path.join(rootDirectory, 'a.test.ts'),
  startTime: 0,
  endTime: 1,
  status: 'failed',
  message: '',
  assertionResults: [],
};
const passed = { fullName: 'adds numbers', status: 'passed', failureMessages: [] };

test('nothing is printed when every test has passed', () => {
  expect(failedTests([{ testResults: [{ ...file, assertionResults: [passed] }] }])).toEqual([]);
});

test('each failed test is named, with the beginning of its message and without colours', () => {
  const failed = {
    fullName: 'a sum is right',
    status: 'failed',
    failureMessages: ['\u001B[31mExpected: 2\u001B[39m\n\nReceived: 3\n1\n2\n3\n4\n5\n6'],
  };
  expect(failedTests([{ testResults: [{ ...file, message: 'all', assertionResults: [passed, failed] }] }])).toEqual([
    '✕ a.test.ts › a sum is right',
    '    Expected: 2',
    '    Received: 3',
    '    1',
    '    2',
    '    3',
    '    4',
  ]);
});

test('a file that could not run is named with its message', () => {
  expect(failedTests([{ testResults: [{ ...file, message: 'Cannot find module' }] }])).toEqual([
    '✕ a.test.ts',
    '    Cannot find module',
  ]);
});
