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
  test('there is none without samples', () => {
    expect(weighSamples([], block)).toEqual([]);
  });

  test('a single sample stands for the whole block', () => {
    expect(weights([at(1050)])).toEqual([1000]);
  });

  test('the time between two samples goes half and half', () => {
    expect(weights([at(1100), at(1300), at(1700)])).toEqual([200, 300, 500]);
  });

  test('the time between a request and its late answer belongs to the answer alone', () => {
    // Asked at 1200, answered only when a native call had returned at 1900.
    expect(weights([at(1100), at(1200, 1900)])).toEqual([150, 850]);
  });

  test('a late answer in the middle owns its window', () => {
    expect(weights([at(1100), at(1200, 1700), at(1720)])).toEqual([150, 560, 290]);
  });

  test('a next request before the last answer takes nothing away from it', () => {
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

  test('no weight is negative, and a late answer weighs at least what it was waited for', () => {
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

describe('a late answer', () => {
  test.each([
    ['within 15 ms is in time', 15, undefined, false],
    ['after more is late', 15.1, undefined, true],
    ['of a thread that waited for a CPU most of that time is not', 100, 51, false],
    ['of a thread that waited for a CPU half of that time is', 100, 50, true],
    ['of a thread that waited for no CPU is', 100, 0, true],
  ])('%s', (_, answerMs, runQueueMs, expected) => {
    const threadTimes = (usedMs: number | undefined) => ({ cpuMs: 10, runQueueMs: usedMs });
    const before = at(1050, 1050, { threadTimes: threadTimes(runQueueMs === undefined ? undefined : 0) });
    const late = at(1100, 1100 + answerMs, { threadTimes: threadTimes(runQueueMs) });
    expect(weighSamples([before, late], block)[1]?.isLate).toBe(expected);
  });
});

describe('what the thread used between samples', () => {
  test('is the difference of their readings', () => {
    const weighted = weighSamples(
      [
        at(1100, 1100, { threadTimes: { cpuMs: 500, runQueueMs: 20 } }),
        at(1200, 1200, { threadTimes: { cpuMs: 590, runQueueMs: 25 } }),
      ],
      block,
    );
    expect(weighted[1]).toMatchObject({ cpuMs: 90, runQueueMs: 5 });
  });

  test('is unknown for the first, and where a reading lacks', () => {
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
