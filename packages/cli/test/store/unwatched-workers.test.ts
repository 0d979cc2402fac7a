import { expect, test } from '@jest/globals';

import type { ChannelRecord } from '../../src/channel/contract.js';
import { UnwatchedWorkers } from '../../src/cli/store/unwatched-workers.js';

function thread(type: 'workerStarted' | 'workerWatched', instance: string, threadId: number): ChannelRecord {
  return { type, instance, threadId };
}

test('worker threads that were started and do not watch themselves are counted for each process', () => {
  const workers = new UnwatchedWorkers();
  const records = [
    thread('workerWatched', '1', 1),
    thread('workerStarted', '1', 1),
    thread('workerStarted', '1', 2),
    thread('workerStarted', '1', 3),
    // The lines of two threads come in any order.
    thread('workerStarted', '2', 1),
    thread('workerWatched', '2', 1),
    thread('workerStarted', '3', 1),
  ];
  for (const record of records) workers.note(record);
  expect(workers.problems).toEqual([
    { instance: '1', text: expect.stringMatching(/^2 worker threads were not watched\./) },
    { instance: '3', text: expect.stringMatching(/^1 worker thread was not watched\./) },
  ]);
});
