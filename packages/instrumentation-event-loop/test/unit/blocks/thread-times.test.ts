import { expect, test } from '@jest/globals';
import { threadTimes } from '../../../src/blocks/thread-times.js';
import type { BlockTimes } from '../../../src/contract/model.js';
import { builtinFrame, busyPeriod, frame, reading, sampleAt } from '../support/builders.js';

const NO_GC = { observedSince: undefined, pauses: [] };
const asleep = [builtinFrame('Atomics.wait'), frame('acquire')];
/** Its wrapper is of this package, and does not sleep. */
const inWrapper = [frame('Atomics.wait', { fileName: 'loopwatch:deferred' }), frame('acquire')];

/** A block of 300 ms in which each of three questions made the thread wait for a CPU for 30 ms, and its end for 10 ms. */
function timesOf(frames: typeof asleep): BlockTimes {
  const samples = [1050, 1150, 1250].map((takenAt, i) =>
    sampleAt(takenAt, frames, {
      sentRunQueueMs: 10 + 30 * i,
      threadTimes: { cpuMs: 200 + i, runQueueMs: 40 + 30 * i },
    }),
  );
  const period = busyPeriod({ samples, before: reading(1000, 50, 200, 10), after: reading(1300, 50, 203, 110) });
  return threadTimes(period, 300, NO_GC);
}

test('a thread in Atomics.wait, which each question wakes, has slept while it waited for a CPU to answer', () => {
  expect(timesOf(asleep)).toMatchObject({ cpuMs: 3, runQueueMs: 10 });
});

test('any other thread has waited for a CPU', () => {
  expect(timesOf([frame('render')])).toMatchObject({ cpuMs: 3, runQueueMs: 100 });
  expect(timesOf(inWrapper)).toMatchObject({ cpuMs: 3, runQueueMs: 100 });
});
