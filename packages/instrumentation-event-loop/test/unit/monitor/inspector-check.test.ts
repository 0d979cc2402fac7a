import { describe, expect, test } from '@jest/globals';
import { addressSpaceLeft, isStartedFromSnapshot, runsOthers } from '../../../src/monitor/inspector-check.js';

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

describe('a process is started from a snapshot', () => {
  test.each([
    [['--snapshot-blob', 'app.blob'], ''],
    [['--snapshot-blob=app.blob', '--enable-source-maps'], ''],
    [[], '--snapshot_blob=app.blob'],
  ])('with the flags %j and NODE_OPTIONS %j', (flags, nodeOptions) => {
    expect(isStartedFromSnapshot(flags, nodeOptions)).toBe(true);
  });

  test.each([
    [['--snapshot-blob', 'app.blob', '--build-snapshot']],
    [['--build-snapshot-config', 'snapshot.json', '--snapshot-blob', 'app.blob']],
    [['--no-node-snapshot']],
    [['--require', './--snapshot-blob.cjs']],
  ])('but not with the flags %j', (flags) => {
    expect(isStartedFromSnapshot(flags, '')).toBe(false);
  });
});

const GB = 2 ** 30;
test.each([
  ['2147483648', '1048576 kB', GB],
  ['2147483648', '3145728 kB', -GB],
  ['unlimited', '1048576 kB', Infinity],
])('with a limit of the address space of %s and a size of %s, %d bytes are left', (limit, size, left) => {
  const limits = `Max file locks            unlimited            unlimited\nMax address space         ${limit}            unlimited            bytes\n`;
  expect(addressSpaceLeft(limits, `Name:\tnode\nVmPeak:\t9 kB\nVmSize:\t ${size}\n`)).toBe(left);
});

test('without /proc, nothing limits the address space', () => {
  expect(addressSpaceLeft('', '')).toBe(Infinity);
});
