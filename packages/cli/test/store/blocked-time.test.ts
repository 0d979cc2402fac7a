import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { upsertBlock } from '../../src/cli/store/blocks.js';
import { createStore, emptyChange } from '../../src/cli/store/store.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

/** A block as it happened, and the hang reports about it: parts of it, each with the start that was known then. */
interface Happened {
  readonly block: Block;
  readonly hangs: readonly Block[];
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const pieces = fc.array(
  fc.record({
    gapMs: fc.integer({ min: 1, max: 20_000 }),
    durationMs: fc.integer({ min: 10, max: 60_000 }),
    hangs: fc.array(fc.tuple(share, share), { maxLength: 4 }),
  }),
  { maxLength: 12 },
);

/** A thread blocks for some time, then not, and so on. */
const thread = pieces.map((blocks) => {
  let atMs = 0;
  return blocks.map(({ gapMs, durationMs, hangs }, index): Happened => {
    const startMs = atMs + gapMs;
    atMs = startMs + durationMs;
    return {
      block: makeBlock({ id: `block ${index}`, startMs, durationMs }),
      hangs: hangs.map(([from, to], hang) => {
        const [first, last] = [Math.min(from, to), Math.max(from, to)].map((part) => part * (durationMs - 1)) as [
          number,
          number,
        ];
        const times = { startMs: startMs + first, durationMs: last - first + 1 };
        return makeBlock({ id: `hang ${index} ${hang}`, ended: false, ...times });
      }),
    };
  });
});

// A hang report comes by another way than the block, so in any order with it.
const arrivals = thread.chain((happened) => {
  const reports = happened.flatMap(({ block, hangs }) => [block, ...hangs]);
  return fc.tuple(fc.constant(happened), fc.shuffledSubarray(reports, { minLength: reports.length }));
});

test('the blocks of a thread add up to the time that it was blocked, whatever the order of their reports', () => {
  fc.assert(
    fc.property(arrivals, ([happened, reports]) => {
      const store = createStore();
      for (const report of reports) upsertBlock(store, report, emptyChange());
      const known = [...store.blocks.values()].map(({ startMs, durationMs }) => [startMs, durationMs] as const);
      const expected = happened.map(({ block }) => [block.startMs, block.durationMs] as const);
      expect(known.sort(([a], [b]) => a - b)).toEqual(expected);
    }),
    { seed: 41, numRuns: 1_000 },
  );
});
