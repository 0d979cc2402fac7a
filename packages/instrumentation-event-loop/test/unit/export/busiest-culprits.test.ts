import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BusiestCulprits } from '../../../src/export/busiest-culprits.js';
import { OTHER_CULPRITS } from '../../../src/semconv.js';

test('the first few keep their names', () => {
  const culprits = new BusiestCulprits(3);
  expect(['a', 'b', 'c'].map((name) => culprits.nameFor(name, 100))).toEqual(['a', 'b', 'c']);
});

test('the next is one of the others', () => {
  const culprits = new BusiestCulprits(2);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 100);
  expect(culprits.nameFor('c', 50)).toBe(OTHER_CULPRITS);
});

test('one that has blocked for longer in all than the least busy takes its place', () => {
  const culprits = new BusiestCulprits(2);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 500);
  expect(culprits.nameFor('c', 60)).toBe(OTHER_CULPRITS);
  expect(culprits.nameFor('c', 60)).toBe('c');
  expect(culprits.nameFor('a', 1)).toBe(OTHER_CULPRITS);
  expect(culprits.nameFor('b', 1)).toBe('b');
});

test('one that has as much as the least busy does not: nobody flaps', () => {
  const culprits = new BusiestCulprits(1);
  culprits.nameFor('a', 100);
  expect(culprits.nameFor('b', 100)).toBe(OTHER_CULPRITS);
});

test('what was displaced keeps its count and can come back', () => {
  const culprits = new BusiestCulprits(1);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 101);
  expect(culprits.nameFor('a', 2)).toBe('a');
});

test('a culprit that is itself called other is not told apart, and does no harm', () => {
  const culprits = new BusiestCulprits(1);
  expect(culprits.nameFor(OTHER_CULPRITS, 1)).toBe(OTHER_CULPRITS);
});

describe('for any culprits', () => {
  const blocks = fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 5000 })), { maxLength: 2000 });

  test('the names that ever stand on a metric are bounded', () => {
    fc.assert(
      fc.property(blocks, (entries) => {
        const culprits = new BusiestCulprits(4);
        const names = new Set(entries.map(([culprit, ms]) => culprits.nameFor(`f${culprit}`, ms)));
        names.delete(OTHER_CULPRITS);
        expect(names.size).toBeLessThanOrEqual(4 * 5);
      }),
      { numRuns: 30 },
    );
  });

  test('one that blocks for most of the time gets a name, however many others there are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 50, maxLength: 200 }), (others) => {
        const culprits = new BusiestCulprits(4);
        let last = '';
        others.slice(0, 15).forEach((ms, i) => {
          culprits.nameFor(`f${i}`, ms);
          last = culprits.nameFor('hog', 60);
        });
        expect(last).toBe('hog');
      }),
    );
  });

  test('is told by its own name or as other, by nothing else', () => {
    fc.assert(
      fc.property(blocks, (entries) => {
        const culprits = new BusiestCulprits(4);
        for (const [culprit, ms] of entries)
          expect([`f${culprit}`, OTHER_CULPRITS]).toContain(culprits.nameFor(`f${culprit}`, ms));
      }),
      { numRuns: 20 },
    );
  });
});
