import { describe, expect, test } from '@jest/globals';
import { createPoolBuffer, WAIT_RING_LENGTH } from '../../../src/contract/thread-pool-data.js';
import { queuedTasks } from '../../../src/monitor/pool-queue.js';
import { PoolReader } from '../../../src/monitor/pool-reader.js';
import { PoolMemory } from '../../../src/watchdog/pool/pool-memory.js';

describe('What the watchdog writes about the pool', () => {
  test('is read once', () => {
    const buffer = createPoolBuffer();
    const [memory, reader] = [new PoolMemory(buffer), new PoolReader(buffer)];
    expect(reader.take()).toBeUndefined();
    memory.addWait({ waitMs: 0, lane: 'any' });
    memory.addWait({ waitMs: 250.5, lane: 'slow_io' });
    memory.addBusyShare(0.25);
    memory.addBusyShare(0.75);
    expect(reader.take()).toEqual({
      waits: [
        { waitMs: 0, lane: 'any' },
        { waitMs: 250.5, lane: 'slow_io' },
      ],
      busyShare: 0.5,
    });
    expect(reader.take()).toBeUndefined();
    memory.addWait({ waitMs: 1, lane: 'any' });
    expect(reader.take()).toEqual({ waits: [{ waitMs: 1, lane: 'any' }], busyShare: undefined });
  });

  test('loses its oldest waits where it is not read for long', () => {
    const buffer = createPoolBuffer();
    const [memory, reader] = [new PoolMemory(buffer), new PoolReader(buffer)];
    for (let waitMs = 0; waitMs < WAIT_RING_LENGTH + 10; waitMs++) memory.addWait({ waitMs, lane: 'any' });
    const waits = reader.take()?.waits.map(({ waitMs }) => waitMs);
    expect(waits).toHaveLength(WAIT_RING_LENGTH);
    expect(waits?.[0]).toBe(10);
    expect(waits?.at(-1)).toBe(WAIT_RING_LENGTH + 9);
  });
});

describe('The tasks that wait', () => {
  const tasks = new Map([
    ['FSReqCallback', 15],
    ['GetAddrInfoReqWrap', 3],
  ]);

  test('are all of them while the threads compute', () => {
    expect(queuedTasks(tasks, ['cpu×4'])).toEqual(['FSReqCallback×15', 'GetAddrInfoReqWrap×3']);
  });

  test('are fewer by those on which a thread works', () => {
    expect(queuedTasks(tasks, ['openat×2', 'poll×2'])).toEqual(['FSReqCallback×13', 'GetAddrInfoReqWrap×1']);
  });

  test('are none where each is worked on', () => {
    expect(queuedTasks(new Map([['FSReqCallback', 3]]), ['read×4'])).toEqual([]);
  });
});
