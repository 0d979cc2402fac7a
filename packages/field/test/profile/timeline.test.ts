import { expect, test } from '@jest/globals';

import { timelineOf } from '../../src/profile/timeline.ts';

const callFrame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 4, columnNumber: 0 });

const record = {
  pid: 7,
  threadId: 2,
  timeOriginMs: 1_000_000,
  monotonicOriginMs: 50_000,
  writingFromMs: 40,
  writtenAtMs: 1_000_060,
  profile: {
    startTime: 50_010_000,
    endTime: 50_050_000,
    samples: [3, 4, 5, 2],
    timeDeltas: [1000, 10_000, 5000, 4000],
    nodes: [
      { id: 1, callFrame: callFrame('(root)'), children: [2, 3, 4] },
      { id: 2, callFrame: callFrame('(idle)') },
      { id: 3, callFrame: callFrame('onTimeout', 'node:internal/timers'), children: [5] },
      { id: 4, callFrame: callFrame('(garbage collector)') },
      { id: 5, callFrame: callFrame('search', 'file:///app/a.mjs') },
    ],
  },
};

test("V8's samples are on the clock of the reports, each until the next one, and the last until the writing", () => {
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
