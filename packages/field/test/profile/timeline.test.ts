import { expect, test } from '@jest/globals';

import { timelineOf } from '../../src/profile/timeline.ts';

const callFrame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 4, columnNumber: 0 });

const record = {
  pid: 7,
  threadId: 2,
  timeOriginMs: 1_000_000,
  monotonicOriginMs: 50_000,
  profile: {
    startTime: 50_010_000,
    endTime: 50_040_000,
    samples: [3, 4, 5, 2],
    timeDeltas: [1000, 10_000, 5000, 4000],
    nodes: [
      { id: 1, callFrame: callFrame('(root)') },
      { id: 2, parent: 1, callFrame: callFrame('(idle)') },
      { id: 3, parent: 1, callFrame: callFrame('onTimeout', 'node:internal/timers') },
      { id: 4, parent: 1, callFrame: callFrame('(garbage collector)') },
      { id: 5, parent: 3, callFrame: callFrame('search', 'file:///app/a.mjs') },
    ],
  },
};

test("V8's samples are on the clock of the reports, each until the next one, and the last until the end", () => {
  const { samples, startMs, endMs } = timelineOf(record);
  expect([startMs, endMs]).toEqual([1_000_010, 1_000_040]);
  expect(samples.map((sample) => [sample.startMs, sample.endMs, sample.activity])).toEqual([
    [1_000_011, 1_000_021, 'javascript'],
    [1_000_021, 1_000_026, 'gc'],
    [1_000_026, 1_000_030, 'javascript'],
    [1_000_030, 1_000_040, 'idle'],
  ]);
});

test('a stack goes from the root to the leaf, with lines from 1, and garbage collection has that of its code', () => {
  const stacks = timelineOf(record).samples.map(({ stack }) =>
    stack.map((frame) => `${frame.functionName}:${frame.lineNumber}`),
  );
  expect(stacks).toEqual([['onTimeout:5'], ['onTimeout:5'], ['onTimeout:5', 'search:5'], []]);
});

test('a thread that was idle and is not sampled for long was not idle all the time: it may have waited for a CPU', () => {
  const profile = { ...record.profile, endTime: 50_130_000 };
  const { samples } = timelineOf({ ...record, profile });
  expect(samples.slice(-2).map((sample) => [sample.startMs, sample.endMs, sample.activity])).toEqual([
    [1_000_030, 1_000_050, 'idle'],
    [1_000_050, 1_000_130, 'program'],
  ]);
});
