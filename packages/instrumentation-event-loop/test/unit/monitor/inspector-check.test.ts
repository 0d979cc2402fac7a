import { describe, expect, test } from '@jest/globals';
import { runsOthers } from '../../../src/monitor/inspector-check.js';

describe('a process runs others, and has no inspector,', () => {
  test.each([
    ['--test'],
    ['--test', '--test-reporter=spec'],
    ['--test', '--test-isolation=process'],
    ['--watch'],
    ['--watch-path=./src'],
    ['--watch_path', './src'],
    ['--import', 'tsx', '--test'],
  ])('with the flags %s %s %s', (...flags) => {
    expect(runsOthers(flags, '')).toBe(true);
  });

  test('with such a flag in NODE_OPTIONS', () => {
    expect(runsOthers([], '--require ./a.cjs --watch-path=src')).toBe(true);
  });

  test.each([
    ['--test', '--test-isolation=none'],
    ['--test', '--experimental-test-isolation', 'none'],
    ['--test-reporter=spec'],
    ['--test-only'],
    ['--watch-preserve-output'],
    ['--require', './--test.cjs'],
  ])('but not with the flags %s %s', (...flags) => {
    expect(runsOthers(flags, '')).toBe(false);
  });
});
