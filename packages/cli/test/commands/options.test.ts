import { describe, expect, test } from '@jest/globals';

import { parseDuration, parseKillAfter, parseTimerDuration } from '../../src/cli/commands/options.js';

const DAY_MS = 86_400_000;

describe('a duration', () => {
  test.each([
    ['1.5s', 1500],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['400d', 400 * DAY_MS],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', '0s', '-1s', '1w', `${'9'.repeat(400)}s`])('%j is refused', (text) => {
    expect(() => parseDuration(text)).toThrow('Expected a duration above 0, such as 30s');
  });

  test.each(['24.1d', '25d', '2147484s', `${'9'.repeat(300)}d`])('that a timer waits for is not %s', (text) => {
    expect(() => parseTimerDuration(text)).toThrow(/^Expected a duration of at most 24d, got .{1,20}\.$/);
  });

  test('that a timer waits for may be 24 days', () => {
    expect(parseTimerDuration('24d')).toBe(24 * DAY_MS);
    expect(24 * DAY_MS).toBeLessThan(2 ** 31);
  });
});

test('a limit for blocks is finite', () => {
  expect(parseKillAfter('30')).toBe(30_000);
  expect(() => parseKillAfter('9'.repeat(400))).toThrow('Expected a number of seconds');
});
