import { beforeEach, describe, expect, test } from '@jest/globals';

import { type ChannelRecord, HEADER_PROCESS } from '../../src/channel/contract.js';
import { OngoingBlocks } from '../../src/cli/store/ongoing-blocks.js';
import { ingestRecords } from '../../src/cli/store/ingest-records.js';
import { createStore, type Store } from '../../src/cli/store/store.js';
import { gaugeBody, tracesBody } from '../support/otlp.js';
import { makeBlock, makeLag } from '../support/records.js';

const PROCESS = '7';
const START_MS = 10_000;
const HANG_THRESHOLD_MS = 5_000;

let store: Store;
let living: Set<string>;
let stopped: Set<string>;
let ongoing: OngoingBlocks;
beforeEach(() => {
  store = createStore();
  living = new Set([PROCESS]);
  const process = { id: PROCESS, service: 'child.js', label: 'pid 7', pid: 7, command: 'node child.js' };
  ingestRecords(store, [{ type: 'process', process }]);
  stopped = new Set();
  ongoing = new OngoingBlocks(store, {
    hangThresholdMs: HANG_THRESHOLD_MS,
    isAlive: (id) => living.has(id),
    isStopped: (id) => stopped.has(id),
  });
});

function request(body: unknown): ChannelRecord {
  return { type: 'request', headers: { [HEADER_PROCESS]: PROCESS }, body };
}

/** What the watchdog writes at that age of the block. */
function report(
  ageMs: number,
  { startMs = START_MS, threadId = 0, functionName = 'compute', cause = 'javascript', times = {} } = {},
): ChannelRecord {
  const attributes = {
    'thread.id': threadId,
    'thread.name': 'main',
    'code.function.name': functionName,
    'event_loop.blocked.cause': cause,
    ...times,
  };
  const ids = { traceId: 'a'.repeat(32), spanId: String(ageMs).padStart(16, '0') };
  const span = { ...ids, name: 'event-loop-hang', startMs, endMs: startMs + ageMs, attributes };
  return request(tracesBody({ 'service.name': 'of the program' }, [span]));
}

function length(ageMs: number, threadId = 0, times: Record<string, number> = {}): ChannelRecord {
  const point = { value: ageMs / 1000, attributes: { 'thread.id': threadId, ...times } };
  return request(gaugeBody({}, 'event_loop.stalled', [point]));
}

function note(...records: readonly ChannelRecord[]): void {
  ingestRecords(store, records);
  for (const record of records) ongoing.note(record, 0);
}

/** What the watchdog writes when the thread has ended: a data point without a value. */
function ended(threadId: number): ChannelRecord {
  return request(gaugeBody({}, 'event_loop.stalled', [{ flags: 1, attributes: { 'thread.id': threadId } }]));
}

const block = (startMs: number, durationMs: number, excludedMs?: number): ChannelRecord => ({
  type: 'block',
  block: makeBlock({ instance: PROCESS, startMs, durationMs, threadId: 0, ...(excludedMs && { excludedMs }) }),
});
const lag: ChannelRecord = { type: 'lag', point: makeLag({ instance: PROCESS }) };

const blocks = (): unknown[] => [...store.blocks.values()];

describe('a block that the process does not survive', () => {
  test('is known as far as it went, with the last length that was written', () => {
    note(report(100), report(400), length(500), length(700));
    expect(ongoing.takeCutShort(0, true).blocks).toHaveLength(1);
    expect(blocks()).toMatchObject([
      { instance: PROCESS, startMs: START_MS, durationMs: 700, ended: false, culprit: { functionName: 'compute' } },
    ]);
  });

  test('is known, too, where the process was killed right after it', () => {
    note(report(400), length(700), length(0));
    living.clear();
    expect(ongoing.takeCutShort(0, true).blocks).toMatchObject([{ durationMs: 700 }]);
  });

  test('keeps the length of its report where that says that the thread only waited for a CPU', () => {
    note(report(200, { cause: 'cpu_starved' }), length(300));
    expect(ongoing.takeCutShort(0, true).blocks).toMatchObject([{ durationMs: 200, cause: 'cpu_starved' }]);
  });

  test('is published in a run that goes on, once nothing has been heard for a while', () => {
    note(report(400));
    living.clear();
    expect(ongoing.takeCutShort(1_000).blocks).toEqual([]);
    expect(ongoing.takeCutShort(10_000).blocks).toHaveLength(1);
    expect(ongoing.takeCutShort(20_000, true).blocks).toEqual([]);
  });

  test('goes on where the process is stopped, which says nothing meanwhile', () => {
    note(report(400));
    stopped.add(PROCESS);
    expect(ongoing.takeCutShort(10_000).blocks).toEqual([]);
    stopped.clear();
    expect(ongoing.takeCutShort(11_000).blocks).toEqual([]);
    expect(ongoing.takeCutShort(20_000).blocks).toHaveLength(1);
  });

  test('is published, too, where only its thread has ended, and says so', () => {
    note(report(400, { threadId: 3 }), length(700, 3), ended(3), lag);
    expect(ongoing.takeCutShort(1_000).blocks).toEqual([]);
    expect(ongoing.takeCutShort(10_000).blocks).toMatchObject([{ durationMs: 700, ended: false, threadId: 3 }]);
    expect([2, 3].map((threadId) => ongoing.hasThreadEnded({ instance: PROCESS, threadId }))).toEqual([false, true]);
  });

  test('is known, too, where the clock of the system was set back since the block before', () => {
    note(block(START_MS, 450), report(400, { startMs: START_MS - 5_000 }), length(700));
    expect(ongoing.takeCutShort(0, true).blocks).toMatchObject([{ startMs: START_MS - 5_000, durationMs: 700 }]);
  });

  test('is none where its block has ended, which was suspended before that report', () => {
    note(report(1_000, { startMs: START_MS + 5_000 }), block(START_MS, 2_500, 5_000));
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
    expect(blocks()).toMatchObject([{ durationMs: 2_500, ended: true }]);
  });

  test('each thread has its own', () => {
    note(report(400), report(500, { threadId: 3, functionName: 'pack' }), length(600, 3));
    expect(ongoing.takeCutShort(0, true).blocks).toMatchObject([
      { threadId: 0, durationMs: 400 },
      { threadId: 3, durationMs: 600, culprit: { functionName: 'pack' } },
    ]);
  });
});

describe('the times of a block that the process does not survive', () => {
  const times = (cpu: number, runQueue: number): Record<string, number> => ({
    'event_loop.blocked.cpu_time': cpu,
    'event_loop.blocked.run_queue_time': runQueue,
  });
  const cutShort = (): unknown => ongoing.takeCutShort(0, true).blocks[0];

  test('are those of its length, not those of its last report', () => {
    note(report(12_800, { times: times(0.6, 12) }), length(20_000, 0, times(0.9, 18.9)));
    expect(cutShort()).toMatchObject({ durationMs: 20_000, cpuMs: 900, runQueueMs: 18_900 });
  });

  test('are unknown where they were measured for a part of it: collections, and all where the system shows none', () => {
    const report128 = report(12_800, { times: { ...times(6, 6), 'event_loop.blocked.gc_time': 1 } });
    note(report128, length(20_000));
    expect(cutShort()).not.toHaveProperty('cpuMs', expect.any(Number));
    note(report128, length(20_000, 0, times(9, 9)));
    const block = cutShort();
    expect(block).toMatchObject({ cpuMs: 9_000, runQueueMs: 9_000 });
    expect(block).not.toHaveProperty('gcMs', expect.any(Number));
  });

  test('are those of its report where that is hardly older', () => {
    note(report(12_800, { times: { ...times(6, 6), 'event_loop.blocked.gc_time': 1 } }), length(13_000));
    expect(cutShort()).toMatchObject({ cpuMs: 6_000, runQueueMs: 6_000, gcMs: 1_000 });
  });
});

describe('nothing is added', () => {
  test('where the main thread has reported the block of a worker that was terminated, and the watchdog writes once more', () => {
    note(report(400), block(START_MS, 450), report(420), length(500));
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
    expect(blocks()).toMatchObject([{ durationMs: 450, ended: true }]);
  });

  test('where the block has ended and was reported by its thread', () => {
    note(report(400), length(0), block(START_MS, 450));
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
    expect(blocks()).toMatchObject([{ durationMs: 450, ended: true }]);
  });

  test('where it was no block in the end, and the process lived on', () => {
    note(report(400), length(0), lag);
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
  });

  test('where the thread has exited, having judged what it did, and the watchdog writes once more', () => {
    note(
      report(400),
      { type: 'end', instance: PROCESS, threadId: 0 },
      block(START_MS - 500, 100),
      report(400),
      length(500),
    );
    living.clear();
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
  });

  test('where nothing more is heard of a process that is alive and not blocked', () => {
    note(report(400), length(0));
    expect(ongoing.takeCutShort(10_000).blocks).toEqual([]);
    expect(ongoing.takeCutShort(10_000, true).blocks).toEqual([]);
  });

  test('by a line that is no OTLP', () => {
    note(request({ resourceSpans: 'none' }), request('text'), request(null));
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
  });
});

test('the report of an earlier block says nothing of the next', () => {
  note(report(400), length(0), block(START_MS, 450), report(100, { startMs: START_MS + 1_000 }));
  expect(ongoing.takeCutShort(0, true).blocks).toMatchObject([{ startMs: START_MS + 1_000, durationMs: 100 }]);
  expect(store.blocks.size).toBe(2);
});

describe('a hang', () => {
  test('is published while it lasts, at its threshold and at doubling lengths', () => {
    const published: number[] = [];
    for (let ageMs = 100; ageMs <= 22_000; ageMs += 100) {
      note([100, 5_000, 6_400, 10_000, 20_000].includes(ageMs) ? report(ageMs) : length(ageMs));
      published.push(...ongoing.takeHangs(0).blocks.map(({ durationMs }) => durationMs));
    }
    expect(published).toEqual([5_000, 10_000, 20_000]);
    expect(store.blocks.size).toBe(1);
  });

  test('is published with the report of that moment, not with what was known before', () => {
    note(report(3_200, { functionName: 'warmCaches' }), length(5_000), length(5_200));
    expect(ongoing.takeHangs(0).blocks).toEqual([]);
    note(report(5_300, { functionName: 'scanLedger' }));
    expect(ongoing.takeHangs(0).blocks).toMatchObject([{ durationMs: 5_300, culprit: { functionName: 'scanLedger' } }]);
  });

  test('is published some seconds later where no such report comes', () => {
    note(report(3_200), length(7_900));
    expect(ongoing.takeHangs(0).blocks).toEqual([]);
    note(length(8_000));
    expect(ongoing.takeHangs(0).blocks).toMatchObject([{ durationMs: 8_000 }]);
  });

  test('that ends is replaced by its block', () => {
    note(report(6_000));
    ongoing.takeHangs(0);
    note(length(0), block(START_MS, 6_100));
    expect(ongoing.takeCutShort(0, true).blocks).toEqual([]);
    expect(blocks()).toMatchObject([{ durationMs: 6_100, ended: true }]);
  });
});

describe('the main threads that are blocked', () => {
  const blocked = (): unknown => ongoing.blockedMains();

  test('are known with the time for which they are, also where only a wait for a CPU is', () => {
    note(report(200, { cause: 'cpu_starved' }), length(1500));
    expect(blocked()).toEqual([{ instance: PROCESS, blockedMs: 1500 }]);
  });

  test('do not include worker threads, nor a thread whose loop iterates again', () => {
    note(report(900, { threadId: 3 }), length(900, 3));
    expect(blocked()).toEqual([]);
    note(report(700), length(0));
    expect(blocked()).toEqual([]);
    note(report(300, { startMs: START_MS + 2000 }));
    expect(blocked()).toEqual([{ instance: PROCESS, blockedMs: 300 }]);
  });
});
