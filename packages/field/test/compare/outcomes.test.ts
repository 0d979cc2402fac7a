import { describe, expect, test } from '@jest/globals';

import { differencesBetween } from '../../src/compare/differences.ts';
import type { Outcome } from '../../src/compare/differences.ts';
import { bodyWithoutNoise, withoutNoise } from '../../src/compare/noise.ts';

const base: Outcome = { exitCode: 0, signal: null, timedOut: false, stdout: 'one\ntwo', stderr: '', answers: [] };
const answer = { request: 'GET /', status: 200, contentType: 'text/plain', body: '2 characters, ab' };

describe('two outcomes differ in', () => {
  test.each<[string, Partial<Outcome>, string]>([
    ['the exit code', { exitCode: 1 }, 'ended by exit code 1, not by exit code 0'],
    ['the signal', { exitCode: null, signal: 'SIGKILL' }, 'ended by SIGKILL, not by exit code 0'],
    ['the end', { timedOut: true }, 'ended by the kill timer, not by exit code 0'],
    ['a line of stdout', { stdout: 'one\nthree' }, 'stdout has "three" and lacks "two"'],
    ['the order of lines', { stdout: 'two\none' }, 'stdout has its lines in another order'],
    ['a line of stderr', { stderr: 'Waiting for the debugger' }, 'stderr has "Waiting for the debugger" and lacks ""'],
    ['an answer', { answers: [answer] }, 'answer 1: GET / 200 text/plain 2 characters, ab, not none'],
  ])('%s', (_label, changes, difference) => {
    expect(differencesBetween(base, { ...base, ...changes })).toEqual([difference]);
  });
});

test('equal outcomes have no difference', () => {
  expect(differencesBetween(base, { ...base })).toEqual([]);
});

describe('noise', () => {
  test('of output are durations, clocks, process ids, the port and the lines of Loopwatch', () => {
    const text = 'ready on 4321 in 1.5s at 12:30:01 (node:77) 2026-01-01T10:00:00.123Z  \nloopwatch No block in 2 s.';
    expect(withoutNoise(text, { port: 4321 })).toBe('ready on <port> in <duration> at <clock> (node:<pid>) <date>');
  });

  test('of a program is replaced, or its line is left out', () => {
    const noise = [{ pattern: /pid=\d+/, by: 'pid=?' }, { pattern: /^Duration/ }];
    expect(withoutNoise('Duration 3\npid=3 b\na', { noise, port: 1, unordered: true })).toBe('a\npid=? b');
  });

  test('of an answer is the host alone: its numbers are data', () => {
    expect(bodyWithoutNoise('{"at":"http://127.0.0.1:4321/","count":4321}', { port: 4321 })).toBe(
      '{"at":"http://<host>/","count":4321}',
    );
  });
});
