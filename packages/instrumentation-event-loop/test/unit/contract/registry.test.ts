import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { setEnvironmentData, Worker } from 'node:worker_threads';
import { Header, REGISTRY_KEY, SLOT_COUNT, SlotInt, SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Slot } from '../../../src/contract/slots.js';

let registry: Registry;

beforeEach(() => {
  registry = new Registry();
});

function liveIds(of: Registry): number[] {
  return [...of.live()].map((slot) => slot.getInt(SlotInt.threadId));
}

describe('claiming', () => {
  test('a slot has the id and the name of its thread', () => {
    const slot = registry.claim(7, 'kafka-consumer')!;
    expect(slot.getInt(SlotInt.threadId)).toBe(7);
    expect(registry.nameOf(slot)).toBe('kafka-consumer');
    expect(liveIds(registry)).toEqual([7]);
  });

  test('each thread gets a slot of its own', () => {
    const slots = [0, 1, 2].map((threadId) => registry.claim(threadId, `t${threadId}`)!);
    expect(slots.map(({ index }) => index)).toEqual([0, 1, 2]);
    slots.forEach((slot, i) => {
      slot.setTime(SlotTime.tickAt, 100 + i);
      slot.setTime(SlotTime.sampleIntervalMs, 10 + i);
    });
    expect(slots.map((slot) => slot.getTime(SlotTime.tickAt))).toEqual([100, 101, 102]);
    expect(slots.map((slot) => slot.getTime(SlotTime.sampleIntervalMs))).toEqual([10, 11, 12]);
    expect(slots.map((slot) => registry.nameOf(slot))).toEqual(['t0', 't1', 't2']);
  });

  test('the slot of a thread that has ended is given to the next thread', () => {
    registry.claim(0, 'main');
    const ended = registry.claim(1, 'a-worker-with-a-long-name')!;
    registry.claim(2, 'b');
    registry.release(ended, 1);
    expect(liveIds(registry)).toEqual([0, 2]);
    const next = registry.claim(3, 'c')!;
    expect(next.index).toBe(ended.index);
    expect(registry.nameOf(next)).toBe('c');
    expect(liveIds(registry)).toEqual([0, 3, 2]);
  });

  test('a slot that is taken over has no times of the thread before', () => {
    const slot = registry.claim(1, 'a')!;
    for (let field = 0; field < SlotTime.length; field++) slot.setTime(field, 1234);
    slot.setInt(SlotInt.osThreadId, 4711);
    registry.release(slot, 1);
    const next = registry.claim(2, 'b')!;
    for (let field = 0; field < SlotTime.length; field++) expect(next.getTime(field)).toBe(0);
    expect(next.getInt(SlotInt.osThreadId)).toBe(0);
  });

  test('the generation differs between threads that had the same slot', () => {
    const first = registry.claim(1, 'a')!;
    const generation = first.getInt(SlotInt.generation);
    registry.release(first, 1);
    const second = registry.claim(1, 'a')!;
    expect(second.index).toBe(first.index);
    expect(second.getInt(SlotInt.generation)).toBe(generation + 1);
  });

  test('when all slots are taken, the next thread gets none; it gets one when another ends', () => {
    const slots = Array.from({ length: SLOT_COUNT }, (_, i) => registry.claim(i, 'w'));
    expect(slots.every((slot) => slot !== undefined)).toBe(true);
    expect(registry.claim(9999, 'late')).toBeUndefined();
    registry.release(slots[500]!, 500);
    expect(registry.claim(9999, 'late')?.index).toBe(500);
  });

  test('a released slot does not look like one whose loop has stopped', () => {
    const slot = registry.claim(1, 'a')!;
    slot.setTime(SlotTime.tickAt, 99);
    registry.release(slot, 1);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
    expect(slot.getInt(SlotInt.state)).toBe(0);
  });

  test('releasing a slot twice, or a slot that another thread has claimed since, frees nothing', () => {
    const slot = registry.claim(1, 'a')!;
    registry.release(slot, 2);
    expect(liveIds(registry)).toEqual([1]);
    registry.release(slot, 1);
    registry.release(slot, 1);
    const next = registry.claim(2, 'b')!;
    next.setTime(SlotTime.tickAt, 50);
    registry.release(slot, 1);
    expect(liveIds(registry)).toEqual([2]);
    expect(next.getTime(SlotTime.tickAt)).toBe(50);
  });

  test('the watchdog has to read no further than the highest slot that was ever claimed', () => {
    const slots = [0, 1, 2].map((threadId) => registry.claim(threadId, 'w')!);
    expect(Atomics.load(registry.ints, Header.slotLimit)).toBe(3);
    slots.forEach((slot, threadId) => {
      registry.release(slot, threadId);
    });
    registry.claim(3, 'w');
    expect(Atomics.load(registry.ints, Header.slotLimit)).toBe(3);
  });

  test('after any claims and releases, the live slots are those that were claimed and not released', () => {
    const action = fc.oneof(fc.constant('claim' as const), fc.nat({ max: 20 }));
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const fresh = new Registry();
        const held = new Map<number, Slot>();
        let threadId = 0;
        for (const step of actions) {
          if (step === 'claim') held.set(++threadId, fresh.claim(threadId, `thread ${threadId}`)!);
          else {
            const [id, slot] = [...held][step % Math.max(1, held.size)] ?? [];
            if (id === undefined || !slot) continue;
            fresh.release(slot, id);
            held.delete(id);
          }
        }
        expect(liveIds(fresh).sort()).toEqual([...held.keys()].sort());
        for (const [id, slot] of held) expect(fresh.nameOf(slot)).toBe(`thread ${id}`);
      }),
      { numRuns: 50 },
    );
  });
});

describe('names', () => {
  test.each([
    ['an empty name', ''],
    ['a name of 32 bytes', 'x'.repeat(32)],
    ['a name that is not ASCII', 'größe-größe'],
  ])('%s is read as it was written', (_, name) => {
    expect(registry.nameOf(registry.claim(1, name)!)).toBe(name);
  });

  test('a long name is cut, and does not reach into the next slot', () => {
    const long = registry.claim(1, 'y'.repeat(500))!;
    const next = registry.claim(2, 'next')!;
    expect(registry.nameOf(long)).toBe('y'.repeat(32));
    expect(registry.nameOf(next)).toBe('next');
  });

  test('a long name is cut between two characters, never within one', () => {
    expect(registry.nameOf(registry.claim(1, `${'x'.repeat(31)}ß`)!)).toBe('x'.repeat(31));
    expect(registry.nameOf(registry.claim(2, '🐢'.repeat(9))!)).toBe('🐢'.repeat(8));
  });
});

describe('suspensions', () => {
  test('are empty at first', () => {
    expect(registry.suspensions()).toEqual([]);
  });

  test('are read as they were written', () => {
    registry.addSuspension(1000, 4000);
    registry.addSuspension(9000, 9100);
    expect(registry.suspensions()).toEqual([
      { start: 1000, end: 4000 },
      { start: 9000, end: 9100 },
    ]);
  });

  test('are kept up to the last sixteen', () => {
    for (let i = 0; i < 40; i++) registry.addSuspension(i * 1000, i * 1000 + 100);
    const starts = registry.suspensions().map(({ start }) => start);
    expect(starts).toHaveLength(16);
    expect([...starts].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => (24 + i) * 1000));
  });

  test('do not overwrite the slots', () => {
    const slot = registry.claim(1, 'a')!;
    slot.setTime(SlotTime.tickAt, 5);
    for (let i = 0; i < 40; i++) registry.addSuspension(1, 2);
    expect(slot.getTime(SlotTime.tickAt)).toBe(5);
    expect(registry.nameOf(slot)).toBe('a');
  });
});

describe('the ids of a hang report', () => {
  const ids = Uint8Array.from({ length: 24 }, (_, i) => i + 1);

  test('are undefined at first', () => {
    expect(registry.takeHangId(registry.claim(1, 'a')!)).toBeUndefined();
  });

  test('are returned once, in hex', () => {
    const slot = registry.claim(1, 'a')!;
    registry.setHangId(slot, ids);
    expect(registry.takeHangId(slot)).toEqual({
      traceId: '0102030405060708090a0b0c0d0e0f10',
      spanId: '1112131415161718',
    });
    expect(registry.takeHangId(slot)).toBeUndefined();
  });

  test('replace those of the report before', () => {
    const slot = registry.claim(1, 'a')!;
    registry.setHangId(slot, ids);
    registry.setHangId(slot, new Uint8Array(24).fill(255));
    expect(registry.takeHangId(slot)).toEqual({ traceId: 'f'.repeat(32), spanId: 'f'.repeat(16) });
  });

  test('belong to their thread: neither to the next slot nor to the next thread in the slot', () => {
    const first = registry.claim(1, 'a')!;
    const second = registry.claim(2, 'b')!;
    registry.setHangId(first, new Uint8Array(64).fill(255));
    expect(registry.takeHangId(second)).toBeUndefined();
    registry.release(first, 1);
    expect(registry.takeHangId(registry.claim(3, 'c')!)).toBeUndefined();
  });
});

describe('one buffer, several threads', () => {
  test('what one instance writes, the other reads', () => {
    const other = new Registry(registry.buffer);
    const slot = registry.claim(5, 'worker')!;
    slot.setTime(SlotTime.tickAt, 12_345.678);
    registry.addSuspension(1, 2);
    const [seen] = [...other.live()];
    expect(seen?.getInt(SlotInt.threadId)).toBe(5);
    expect(seen?.getTime(SlotTime.tickAt)).toBe(12_345.678);
    expect(other.nameOf(seen!)).toBe('worker');
    expect(other.suspensions()).toEqual([{ start: 1, end: 2 }]);
  });

  test('two instances never claim the same slot', () => {
    const other = new Registry(registry.buffer);
    const taken = Array.from({ length: 100 }, (_, i) => (i % 2 ? registry : other).claim(i, 'w')?.index);
    expect(new Set(taken).size).toBe(100);
  });

  test('threads that claim at the same time never get the same slot', async () => {
    // Real threads claim as the registry does: with a plain load and store two threads would get the same slot.
    const program = `const { workerData, parentPort } = require('node:worker_threads');
      const ints = new Int32Array(workerData.buffer);
      const taken = [];
      Atomics.wait(ints, 1, 0);
      for (let slot = 0; taken.length < 200; slot++) {
        if (Atomics.compareExchange(ints, workerData.base + slot * workerData.step, 0, 1) === 0) taken.push(slot);
      }
      parentPort.postMessage(taken);`;
    const workerData = { buffer: registry.buffer, base: Header.length + SlotInt.state, step: SlotInt.length };
    const workers = [0, 1].map(() => new Worker(program, { eval: true, execArgv: [], workerData }));
    const taken = workers.map(
      (worker) =>
        new Promise<number[]>((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        }),
    );
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
    Atomics.store(registry.ints, Header.wake, 1);
    Atomics.notify(registry.ints, Header.wake);
    const all = (await Promise.all(taken)).flat();
    expect(new Set(all).size).toBe(400);
    expect(registry.claim(1, 'next')?.index).toBe(400);
  });

  test('a buffer of another layout is refused', () => {
    expect(() => new Registry(new SharedArrayBuffer(64))).toThrow(/^Expected a registry of \d+ bytes, got 64\.$/);
  });
});

describe('the registry of the process', () => {
  afterEach(() => {
    setEnvironmentData(REGISTRY_KEY, undefined);
  });

  test('is the same for every caller', () => {
    setEnvironmentData(REGISTRY_KEY, undefined);
    const first = Registry.ofProcess();
    const second = Registry.ofProcess();
    expect(second.buffer).toBe(first.buffer);
  });

  test('is not another value under the same key', () => {
    setEnvironmentData(REGISTRY_KEY, 'not a registry');
    expect(Registry.ofProcess().buffer.byteLength).toBe(registry.buffer.byteLength);
  });
});
