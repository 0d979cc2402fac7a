import { beforeEach, describe, expect, test } from '@jest/globals';

import type { ChannelRecord } from '../../src/channel/contract.js';
import { type Execution, UnfinishedStartUps } from '../../src/cli/store/unfinished-start-ups.js';

const begin: ChannelRecord = {
  type: 'process',
  process: { id: '1', service: 'a', label: 'pid 1', pid: 1, command: 'node a' },
};

let execution: Execution;
let startUps: UnfinishedStartUps;
beforeEach(() => {
  execution = 'node';
  startUps = new UnfinishedStartUps(() => execution);
  startUps.note(begin, 100);
});

function durations(): number[] {
  return startUps.all.map(({ durationMs }) => durationMs);
}

test('a process that ends before its start-up is over has started for as long as it was seen', () => {
  startUps.look(2100);
  execution = 'none';
  startUps.look(9000);
  expect(startUps.all).toEqual([
    { instance: '1', threadId: 0, threadName: 'main', durationMs: 2000, isUnfinished: true },
  ]);
});

test('another process that gets the id of one that has ended does not make its start-up longer', () => {
  startUps.look(2100);
  execution = 'none';
  startUps.look(3000);
  execution = 'node';
  startUps.look(9000);
  expect(durations()).toEqual([2000]);
});

describe('nothing is said of a process', () => {
  test.each<[string, ChannelRecord]>([
    [
      'that has said how long its start-up took',
      { type: 'startUp', startUp: { instance: '1', threadId: 0, threadName: 'main', durationMs: 5 } },
    ],
    ['that has ended by itself', { type: 'end', instance: '1', threadId: 0 }],
  ])('%s', (_what, record) => {
    startUps.look(300);
    startUps.note(record, 400);
    expect(durations()).toEqual([]);
  });

  test('that has put a program in its place that is not Node.js', () => {
    execution = 'other';
    startUps.look(300);
    expect(durations()).toEqual([]);
    startUps.note(begin, 400);
    expect(durations()).toEqual([]);
  });
});

test('of what a worker thread says, the start-up of its process is not over', () => {
  startUps.note({ type: 'startUp', startUp: { instance: '1', threadId: 1, threadName: 'w', durationMs: 5 } }, 200);
  startUps.look(300);
  expect(durations()).toEqual([200]);
});
