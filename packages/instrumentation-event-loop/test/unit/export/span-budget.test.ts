import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SpanBudget } from '../../../src/export/span-budget.js';

const MINUTE_MS = 60_000;

/** The number of spans admitted for `count` blocks of a culprit, evenly spread over a minute. */
function admittedOf(budget: SpanBudget, culprit: string, count: number, from = 0): number {
  let admitted = 0;
  for (let i = 0; i < count; i++) if (budget.ask(culprit, from + (i * MINUTE_MS) / count).isAdmitted) admitted++;
  return admitted;
}

describe('one culprit', () => {
  test('may use the whole budget', () => {
    expect(admittedOf(new SpanBudget(60), 'a', 1000)).toBe(60);
  });

  test('gets all its spans while they are within the budget', () => {
    expect(admittedOf(new SpanBudget(60), 'a', 60)).toBe(60);
  });

  test('gets one span in total where the budget is 0', () => {
    const budget = new SpanBudget(0);
    expect(admittedOf(budget, 'a', 1000)).toBe(1);
    expect(budget.ask('a', 100 * MINUTE_MS).isAdmitted).toBe(false);
  });

  test('gets its first span also where the budget is a fraction of a span', () => {
    expect(admittedOf(new SpanBudget(0.5), 'a', 100)).toBe(1);
  });

  test('has a count of the blocks that were suppressed since its last span', () => {
    const budget = new SpanBudget(2);
    expect(budget.ask('a', 0)).toEqual({ isAdmitted: true, suppressedCount: 0 });
    expect(budget.ask('a', 1)).toEqual({ isAdmitted: true, suppressedCount: 0 });
    expect(budget.ask('a', 2)).toEqual({ isAdmitted: false, suppressedCount: 1 });
    expect(budget.ask('a', 3)).toEqual({ isAdmitted: false, suppressedCount: 2 });
    expect(budget.ask('a', MINUTE_MS + 10)).toEqual({ isAdmitted: true, suppressedCount: 2 });
    expect(budget.ask('a', MINUTE_MS + 11)).toEqual({ isAdmitted: true, suppressedCount: 0 });
  });
});

describe('the window', () => {
  test.each([
    ['just before a minute is over, the span still counts', MINUTE_MS - 0.001, false],
    ['after exactly a minute the span no longer counts', MINUTE_MS, true],
  ])('%s', (_, at, isAdmitted) => {
    const budget = new SpanBudget(1);
    budget.ask('a', 0);
    expect(budget.ask('a', at).isAdmitted).toBe(isAdmitted);
  });

  test('slides: a burst across the end of a minute gets one budget, not two', () => {
    const budget = new SpanBudget(10);
    let admitted = 0;
    for (let i = 0; i < 200; i++) if (budget.ask('a', 59_000 + i * 10).isAdmitted) admitted++;
    expect(admitted).toBe(10);
  });
});

describe('several culprits', () => {
  test('the first span of each is always admitted, also beyond the budget', () => {
    const budget = new SpanBudget(3);
    const decisions = Array.from({ length: 50 }, (_, i) => budget.ask(`culprit ${i}`, i));
    expect(decisions.every(({ isAdmitted }) => isAdmitted)).toBe(true);
  });

  test('a noisy culprit does not use the share of another', () => {
    const budget = new SpanBudget(10);
    budget.ask('quiet', 0);
    let noisy = 0;
    for (let i = 1; i <= 1000; i++) if (budget.ask('noisy', i).isAdmitted) noisy++;
    expect(noisy).toBe(5);
    const quiet = [1, 2, 3, 4].map((i) => budget.ask('quiet', 2000 + i).isAdmitted);
    expect(quiet).toEqual([true, true, true, true]);
    expect(budget.ask('quiet', 2005).isAdmitted).toBe(false);
  });

  test('equally noisy culprits get equal shares', () => {
    const budget = new SpanBudget(60);
    const admitted = { a: 0, b: 0, c: 0 };
    for (let i = 0; i < 3000; i++) {
      const culprit = (['a', 'b', 'c'] as const)[i % 3]!;
      if (budget.ask(culprit, i).isAdmitted) admitted[culprit]++;
    }
    expect(admitted).toEqual({ a: 20, b: 20, c: 20 });
  });

  test('a culprit that has been quiet for a minute has no share any more', () => {
    const budget = new SpanBudget(10);
    budget.ask('gone', 0);
    expect(admittedOf(budget, 'a', 1000, MINUTE_MS)).toBe(10);
  });

  test('beyond the limit are evicted, the one without a block for longest first, and are then new again', () => {
    const budget = new SpanBudget(0);
    for (let i = 0; i < 1001; i++) budget.ask(`culprit ${i}`, i);
    expect(budget.ask('culprit 1000', 2000).isAdmitted).toBe(false);
    expect(budget.ask('culprit 500', 2000).isAdmitted).toBe(false);
    expect(budget.ask('culprit 0', 2000).isAdmitted).toBe(true);
  });
});

describe('for any blocks', () => {
  const blocks = fc.array(
    fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), fc.integer({ min: 0, max: 4000 })),
    { minLength: 1, maxLength: 300 },
  );

  test('no 60 s have more spans than the budget and the first spans of the culprits', () => {
    fc.assert(
      fc.property(blocks, fc.integer({ min: 0, max: 20 }), (entries, spansPerMinute) => {
        const budget = new SpanBudget(spansPerMinute);
        const seen = new Set<string>();
        const admitted: { at: number; isFirst: boolean }[] = [];
        let now = 0;
        for (const [culprit, waitMs] of entries) {
          now += waitMs;
          if (budget.ask(culprit, now).isAdmitted) admitted.push({ at: now, isFirst: !seen.has(culprit) });
          seen.add(culprit);
        }
        for (const { at } of admitted) {
          const within = admitted.filter((span) => span.at > at - MINUTE_MS && span.at <= at);
          const notFirst = within.filter(({ isFirst }) => !isFirst).length;
          expect(notFirst).toBeLessThanOrEqual(spansPerMinute);
        }
      }),
    );
  });

  test('every block has a span, or is in the suppressed count of the next span', () => {
    fc.assert(
      fc.property(blocks, fc.integer({ min: 0, max: 10 }), (entries, spansPerMinute) => {
        const budget = new SpanBudget(spansPerMinute);
        const asked = new Map<string, number>();
        const accounted = new Map<string, number>();
        const open = new Map<string, number>();
        let now = 0;
        for (const [culprit, waitMs] of entries) {
          now += waitMs;
          const { isAdmitted, suppressedCount } = budget.ask(culprit, now);
          asked.set(culprit, (asked.get(culprit) ?? 0) + 1);
          if (isAdmitted) accounted.set(culprit, (accounted.get(culprit) ?? 0) + 1 + suppressedCount);
          open.set(culprit, isAdmitted ? 0 : suppressedCount);
        }
        for (const [culprit, count] of asked) {
          expect((accounted.get(culprit) ?? 0) + (open.get(culprit) ?? 0)).toBe(count);
        }
      }),
    );
  });
});
