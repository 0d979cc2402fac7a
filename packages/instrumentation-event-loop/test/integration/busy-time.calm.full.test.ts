import { describe, expect, test } from '@jest/globals';

import { expectNothingMissing, expectShares, sharesOf } from './busy-support.ts';
import { expectCleanExit } from './support.ts';
import { node24, runOnce } from './thread-support.ts';

interface Window {
  readonly busyMs: number;
  readonly gcTimeMs?: number;
  readonly trueGcMs: number;
}

describe('On Node.js 24', () => {
  test('the time of requests and functions of a loop without blocks is what the program measures itself', async () => {
    const result = await sharesOf(node24, 'native', 800);
    // Of 800 answers, each of eight shares is wrong by more than 8 points in one of 100,000 runs, and by more than 5 in one of
    // 30 runs. How often they are wrong by more than 5: busy-time.long.test.ts.
    expectShares(result, 8);
    expectNothingMissing(result);
    // The loop's clock is exact: what Node.js measures is the same.
    expect(result.busyMs / result.activeMs).toBeGreaterThan(0.9);
    expect(result.busyMs / result.activeMs).toBeLessThan(1.02);
  });

  test('the share of a busy loop in garbage collections is what the program measures itself', async () => {
    const result = await runOnce(node24, 'busy-collections.cjs');
    expectCleanExit(result);
    const windows = result.notes.get('windows') as readonly Window[];
    const measured = windows.filter(({ gcTimeMs }) => gcTimeMs !== undefined);
    const sum = (of: (window: Window) => number, all: readonly Window[] = measured): number =>
      all.reduce((total, each) => total + of(each), 0);
    const busyMs = sum((window) => window.busyMs);
    // Where collections are long, they are measured nearly all the time.
    expect(busyMs / sum((window) => window.busyMs, windows)).toBeGreaterThan(0.8);
    const [share, truth] = [sum(({ gcTimeMs = 0 }) => gcTimeMs) / busyMs, sum(({ trueGcMs }) => trueGcMs) / busyMs];
    expect(truth).toBeGreaterThan(0.1);
    expect({ share, truth, isRight: Math.abs(share - truth) < 0.1 }).toMatchObject({ isRight: true });
  });
});
