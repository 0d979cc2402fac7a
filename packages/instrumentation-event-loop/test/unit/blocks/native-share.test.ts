import { describe, expect, test } from '@jest/globals';
import { nativeShare } from '../../../src/blocks/native-share.js';
import { LONG_CALL_MS, type WeightedSample } from '../../../src/blocks/weights.js';
import { frame, weighted } from '../support/builders.js';

const isLate = ({ isLate: late }: WeightedSample): boolean => late;

/** An answer after that time, ms; undefined where a wait for a CPU hides it. */
function answer(answerMs: number | undefined, overrides: Partial<Omit<WeightedSample, 'sample'>> = {}): WeightedSample {
  return weighted([frame('work')], 10, { answerMs, isLate: answerMs !== undefined && answerMs > 0.5, ...overrides });
}

function answers(answerMs: number | undefined, count: number): WeightedSample[] {
  return Array.from({ length: count }, () => answer(answerMs));
}

/** The same numbers in each run. */
function random(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Questions at any moment of a block in which native calls of that length take that share of the time. */
function block(callMs: number, share: number, { count = 400, ownMs = 0.06, hiddenShare = 0 } = {}): WeightedSample[] {
  const next = random();
  return Array.from({ length: count }, () => {
    const remainingMs = next() < share ? next() * callMs : 0;
    const answerMs = ownMs * (1 + next()) + remainingMs;
    return answer(answerMs <= LONG_CALL_MS && next() < hiddenShare ? undefined : answerMs);
  });
}

describe('the share of native calls', () => {
  test.each([0.5, 0.8, 1, 3, 20, 300])('of %d ms is that of the calls, on calm and busy hosts', (callMs) => {
    for (const share of [0, 0.2, 0.5, 0.8, 1]) {
      for (const hiddenShare of [0, 0.6]) {
        expect(Math.abs(nativeShare(block(callMs, share, { hiddenShare }), isLate)! - share)).toBeLessThan(0.15);
      }
    }
  });

  test('of calls that are too short for that is smaller, never larger', () => {
    for (const callMs of [0.02, 0.05, 0.1, 0.2, 0.3]) {
      for (const share of [0, 0.3, 0.6, 1]) {
        expect(nativeShare(block(callMs, share), isLate)).toBeLessThan(share + 0.1);
      }
    }
  });

  test('is small for JavaScript that answers slowly, on a slow machine', () => {
    expect(nativeShare(block(1, 0, { ownMs: 0.17 }), isLate)).toBeLessThan(0.1);
    expect(nativeShare(block(3, 1, { ownMs: 0.17 }), isLate)).toBeGreaterThan(0.8);
  });

  test('leaves out the answers that a wait hides, where others are known', () => {
    expect(nativeShare([...answers(undefined, 4), ...answers(3, 2)], isLate)).toBe(1);
    expect(nativeShare([...answers(undefined, 4), ...answers(0.1, 2)], isLate)).toBe(0);
    const lateAfterWait = answers(undefined, 4).map((weight) => ({ ...weight, isLate: true }));
    expect(nativeShare([...lateAfterWait, ...answers(0.1, 2)], isLate)).toBe(0);
  });

  test('does not follow from few answers of many, on a starved host', () => {
    expect(nativeShare([...answers(undefined, 10), ...answers(0.4, 2)], isLate)).toBe(0);
  });

  test('is that of the late answers where no time of an answer is known', () => {
    const late = answers(undefined, 3).map((weight) => ({ ...weight, isLate: true }));
    expect(nativeShare([...late, ...answers(undefined, 2)], isLate)).toBeCloseTo(3 / 5);
  });

  test('counts what the test calls native although its answer came at once', () => {
    expect(nativeShare(answers(0.1, 3), () => true)).toBe(1);
  });

  test('counts no late answer that the test does not call native', () => {
    expect(nativeShare(answers(30, 3), () => false)).toBe(0);
  });

  test('counts the time before the first question for a long call that answers it, and otherwise as the rest', () => {
    const first = (answerMs: number): WeightedSample => answer(answerMs, { ranMs: 100, evidenceMs: 20 });
    expect(nativeShare([first(40), ...answers(0.1, 5)], isLate)).toBeCloseTo(100 / 150);
    expect(nativeShare([first(3), ...answers(0.1, 5)], isLate)).toBeLessThan(1 / 2);
    expect(nativeShare([first(0.1), ...answers(0.1, 5), answer(100, { ranMs: 110 })], isLate)).toBeLessThan(1 / 2);
  });

  test('counts the answers that a wait hides beside a long call, if others show what ran then', () => {
    expect(nativeShare([answer(60, { ranMs: 70 }), ...answers(undefined, 6), ...answers(0.1, 4)], isLate)).toBeCloseTo(
      70 / 170,
    );
  });

  test('is unknown without samples, and without their time', () => {
    expect(nativeShare([], isLate)).toBeUndefined();
    expect(nativeShare([weighted([frame('work')], 0)], isLate)).toBeUndefined();
  });
});
