import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BusiestCulprits } from '../../../src/export/busiest-culprits.js';
import { OTHER_CULPRITS } from '../../../src/semconv.js';

test('the first few keep their names', () => {
  const culprits = new BusiestCulprits(3);
  expect(['a', 'b', 'c'].map((name) => culprits.nameFor(name, 100))).toEqual(['a', 'b', 'c']);
});

test('the next culprit counts as other', () => {
  const culprits = new BusiestCulprits(2);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 100);
  expect(culprits.nameFor('c', 50)).toBe(OTHER_CULPRITS);
});

test('a culprit that has blocked for longer in total than the least busy one replaces it', () => {
  const culprits = new BusiestCulprits(2);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 500);
  expect(culprits.nameFor('c', 60)).toBe(OTHER_CULPRITS);
  expect(culprits.nameFor('c', 60)).toBe('c');
  expect(culprits.nameFor('a', 1)).toBe(OTHER_CULPRITS);
  expect(culprits.nameFor('b', 1)).toBe('b');
});

test('a culprit that has blocked for as long as the least busy one does not replace it, so that names do not alternate', () => {
  const culprits = new BusiestCulprits(1);
  culprits.nameFor('a', 100);
  expect(culprits.nameFor('b', 100)).toBe(OTHER_CULPRITS);
});

test('a replaced culprit keeps its total and can come back', () => {
  const culprits = new BusiestCulprits(1);
  culprits.nameFor('a', 100);
  culprits.nameFor('b', 101);
  expect(culprits.nameFor('a', 2)).toBe('a');
});

test('a culprit whose name is that of the others counts as other', () => {
  const culprits = new BusiestCulprits(1);
  expect(culprits.nameFor(OTHER_CULPRITS, 1)).toBe(OTHER_CULPRITS);
});

describe('for any culprits', () => {
  const blocks = fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 5000 })), { maxLength: 2000 });

  test('the names on a metric are bounded', () => {
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

  test('a culprit that blocks for most of the time gets a name, however many others there are', () => {
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

  test('each is named by its own name or as other', () => {
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
