import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { weighSamples } from '../../../src/blocks/weights.js';
import type { Sample } from '../../../src/contract/model.js';
import { frame, sample } from '../support/builders.js';

const block = { start: 1000, end: 2000 };

function at(requestedAt: number, takenAt = requestedAt, overrides: Partial<Sample> = {}): Sample {
  return sample([frame('work')], { requestedAt, takenAt, ...overrides });
}

function weights(samples: readonly Sample[], of = block): number[] {
  return weighSamples(samples, of).map(({ weightMs }) => weightMs);
}

describe('the time that samples stand for', () => {
  test('is nothing without samples', () => {
    expect(weighSamples([], block)).toEqual([]);
  });

  test('is the whole block for a single sample', () => {
    expect(weights([at(1050)])).toEqual([1000]);
  });

  test('is half of the time to the sample before and half of the time to the next', () => {
    expect(weights([at(1100), at(1300), at(1700)])).toEqual([200, 300, 500]);
  });

  test('includes all the time between a request and its late answer', () => {
    // Requested at 1200, answered only when a native call had returned at 1900.
    expect(weights([at(1100), at(1200, 1900)])).toEqual([150, 850]);
  });

  test('includes that time also for a late answer in the middle', () => {
    expect(weights([at(1100), at(1200, 1700), at(1720)])).toEqual([150, 560, 290]);
  });

  test('does not shrink by a request that comes before the last answer', () => {
    expect(weights([at(1100, 1600), at(1500, 1610)])).toEqual([600, 400]);
  });
});

describe('for any samples in the order they were taken', () => {
  const series = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 700 })), {
      minLength: 1,
      maxLength: 60,
    })
    .map((steps) => {
      let now = block.start;
      const samples = steps.map(([waitMs, answerMs]) => {
        const requestedAt = now + waitMs;
        now = requestedAt + answerMs;
        return at(requestedAt, now);
      });
      return { samples, end: now + 5 };
    });

  test("the weights add up to the block's length", () => {
    fc.assert(
      fc.property(series, ({ samples, end }) => {
        const sum = weights(samples, { start: block.start, end }).reduce((a, b) => a + b, 0);
        expect(sum).toBeCloseTo(end - block.start, 6);
      }),
    );
  });

  test('no weight is negative, and a late answer weighs at least the wait for it', () => {
    fc.assert(
      fc.property(series, ({ samples, end }) => {
        const weighted = weighSamples(samples, { start: block.start, end });
        const isFair = weighted.every(
          ({ weightMs, sample: { requestedAt, takenAt } }) => weightMs >= 0 && weightMs >= takenAt - requestedAt - 1e-6,
        );
        expect(isFair).toBe(true);
      }),
    );
  });
});

describe('an answer', () => {
  test.each([
    ['within 15 ms is in time', 15, undefined, false],
    ['after more than 15 ms is late', 15.1, undefined, true],
    ['is in time when the thread waited for a CPU for most of it', 100, 51, false],
    ['is late when the thread waited for a CPU for half of it', 100, 50, true],
    ['is late when the thread waited for no CPU', 100, 0, true],
  ])('%s', (_, answerMs, runQueueMs, expected) => {
    const threadTimes = (usedMs: number | undefined) => ({ cpuMs: 10, runQueueMs: usedMs });
    const before = at(1050, 1050, { threadTimes: threadTimes(runQueueMs === undefined ? undefined : 0) });
    const late = at(1100, 1100 + answerMs, { threadTimes: threadTimes(runQueueMs) });
    expect(weighSamples([before, late], block)[1]?.isLate).toBe(expected);
  });
});

describe('the CPU and run-queue times between samples', () => {
  test('are the differences of their readings', () => {
    const weighted = weighSamples(
      [
        at(1100, 1100, { threadTimes: { cpuMs: 500, runQueueMs: 20 } }),
        at(1200, 1200, { threadTimes: { cpuMs: 590, runQueueMs: 25 } }),
      ],
      block,
    );
    expect(weighted[1]).toMatchObject({ cpuMs: 90, runQueueMs: 5 });
  });

  test('are unknown for the first sample and where a reading is missing', () => {
    const weighted = weighSamples(
      [at(1100, 1100, { threadTimes: { cpuMs: 500, runQueueMs: undefined } }), at(1200), at(1300)],
      block,
    );
    expect(weighted.map(({ cpuMs, runQueueMs }) => [cpuMs, runQueueMs])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });
});
