import { channel } from 'node:diagnostics_channel';

import { afterEach, expect, test } from '@jest/globals';

import { acceptBusyPeriod } from '../../src/model/accept/busy-period.js';
import { type BusyPeriod, divideBusyTime, sumBusyTime } from '../../src/model/busy-time/busy.js';
import { watchBusyTime } from '../../src/preload/records/busy-time.js';

const message = { threadId: 0, threadName: 'main', startEpochMs: 1e12, durationMs: 130, answers: 0, shares: [] };
let stop: (() => void) | undefined;

afterEach(() => {
  stop?.();
});

test.each([
  ['no busy time', 0, 0],
  ['less than is written', 0.0001, 0],
  ['a microsecond', 0.001, 1],
])('of a window with %s, what is written can be read', (_, busyMs, count) => {
  const written: BusyPeriod[] = [];
  stop = watchBusyTime('1', (period) => written.push(period));
  channel('loopwatch:busy').publish({ ...message, busyMs });
  expect(written).toHaveLength(count);
  expect(written.map(acceptBusyPeriod)).not.toContain(undefined);
});

test('what a window says of the wait for a CPU is kept', () => {
  const written: BusyPeriod[] = [];
  stop = watchBusyTime('1', (period) => written.push(period));
  channel('loopwatch:busy').publish({ ...message, busyMs: 100, runQueueTimeMs: 60.0004 });
  expect(written.map(acceptBusyPeriod)).toMatchObject([{ busyMs: 100, runQueueMs: 60 }]);
});

test('answers of a time when the thread was asked more rarely stand for more of its time', () => {
  const written: BusyPeriod[] = [];
  stop = watchBusyTime('1', (period) => written.push(period));
  const share = { stack: 'a', isInBlock: false, lateAnswers: 0 };
  const often = { ...share, request: 'GET /a', answers: 50, weightMs: 10_000 };
  const rarely = { ...share, request: 'GET /b', answers: 20, weightMs: 10_000, lateAnswers: 5 };
  for (const found of [often, rarely])
    channel('loopwatch:busy').publish({ ...message, busyMs: 9000, answers: found.answers, shares: [found] });
  const entries = sumBusyTime(divideBusyTime(written.flatMap((period) => acceptBusyPeriod(period) ?? [])));
  expect(entries).toMatchObject([
    { request: 'GET /a', ms: 9000, guessMs: 0, answers: 50 },
    { request: 'GET /b', ms: 9000, guessMs: 2250, answers: 20 },
  ]);
});

test('a message of an older instrumentation, which says no weight, is divided by its answers', () => {
  const written: BusyPeriod[] = [];
  stop = watchBusyTime('1', (period) => written.push(period));
  const shares = [3, 1].map((answers) => ({ stack: `f${answers}`, isInBlock: false, lateAnswers: 0, answers }));
  channel('loopwatch:busy').publish({ ...message, busyMs: 100, answers: 4, shares });
  expect(divideBusyTime(written).map(({ ms, answerCount }) => [ms, answerCount])).toEqual([
    [75, 3],
    [25, 1],
  ]);
});
