import { expect, test } from '@jest/globals';

import { moreTasks, queuedTasks } from '../../../src/monitor/pool-queue.js';

test('Of several readings of a wait, the one with most tasks says what waits, and those that run are no part of it', () => {
  const readings = [{ FSReqCallback: 5 }, { FSReqCallback: 20, GetAddrInfoReqWrap: 9 }, { FSReqCallback: 7 }, {}];
  const tasks = readings
    .map((reading) => new Map(Object.entries<number>(reading)))
    .reduce((most: ReadonlyMap<string, number> | undefined, reading) => moreTasks(most, reading), undefined);
  expect(queuedTasks(tasks!, ['openat×3', 'poll×1'])).toEqual(['FSReqCallback×17', 'GetAddrInfoReqWrap×8']);
  expect(queuedTasks(moreTasks(undefined, new Map()), [])).toEqual([]);
});
