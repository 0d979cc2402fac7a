import { channel } from 'node:diagnostics_channel';

import { afterEach, expect, test } from '@jest/globals';

import { acceptBusyPeriod } from '../../src/model/accept/busy-period.js';
import type { BusyPeriod } from '../../src/model/busy-time/busy.js';
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
