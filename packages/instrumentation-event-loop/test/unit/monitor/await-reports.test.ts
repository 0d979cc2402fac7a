import { beforeEach, expect, test } from '@jest/globals';
import { sharedNow } from '../../../src/contract/clock.js';
import { Ending, Header, IdleMode, Sleep, SlotInt, SlotTime } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Slot } from '../../../src/contract/slots.js';
import { awaitReports } from '../../../src/monitor/await-reports.js';

let registry: Registry;
let worker: Slot;

beforeEach(() => {
  registry = new Registry();
  registry.claim(0, 'main');
  worker = registry.claim(7, 'worker')!;
  worker.setTime(SlotTime.suspectAfterMs, 50);
});

function waitedMs(threadId?: number): number {
  const start = sharedNow();
  awaitReports(registry, threadId);
  return sharedNow() - start;
}

/** The shortest of some: a host that takes the CPU away for a moment is no wait. */
function leastWaitedMs(threadId: number): number {
  return Math.min(...Array.from({ length: 5 }, () => waitedMs(threadId)));
}

test('a worker that reports a block is waited for, but not for long', () => {
  worker.setInt(SlotInt.sleep, Sleep.reporting);
  expect(waitedMs(7)).toBeGreaterThanOrEqual(49);
  expect(waitedMs()).toBeGreaterThanOrEqual(49);
});

test('a worker that is blocked may return from its task', () => {
  worker.setTime(SlotTime.tickAt, sharedNow() - 300);
  expect(waitedMs(7)).toBeGreaterThanOrEqual(4);
});

test('a worker that is blocked is asked for its block so far, and not waited for once it has reported it', () => {
  worker.setTime(SlotTime.tickAt, sharedNow() - 300);
  const wakes = Atomics.load(registry.ints, Header.wake);
  awaitReports(registry, 7);
  expect(worker.getInt(SlotInt.ending)).toBe(Ending.wanted);
  expect(Atomics.load(registry.ints, Header.wake)).toBeGreaterThan(wakes); // the watchdog looks at once
  worker.setInt(SlotInt.ending, Ending.reported);
  worker.setInt(SlotInt.sleep, Sleep.reporting);
  expect(leastWaitedMs(7)).toBeLessThan(4);
});

test('a worker that is blocked again before it has reported its last block is asked for both', () => {
  worker.setInt(SlotInt.sleep, Sleep.reporting);
  worker.setTime(SlotTime.tickAt, sharedNow() - 300);
  awaitReports(registry, 7);
  expect(worker.getInt(SlotInt.ending)).toBe(Ending.wanted);
});

test('the ends of many blocked workers hold up the main thread for little more than a tenth of a second', () => {
  worker.setTime(SlotTime.tickAt, sharedNow() - 300);
  const start = sharedNow();
  for (let i = 0; i < 10; i++) awaitReports(registry, 7);
  expect(sharedNow() - start).toBeLessThan(300);
});

test('a worker that a message has woken from idle mode, and that is blocked, is waited for', () => {
  worker.setTime(SlotTime.tickAt, sharedNow() - 900);
  worker.setInt(SlotInt.idleMode, IdleMode.active);
  worker.setTime(SlotTime.polledAt, sharedNow() - 300);
  expect(waitedMs(7)).toBeGreaterThanOrEqual(4);
});

test.each([
  [
    'asleep',
    () => {
      worker.setInt(SlotInt.sleep, Sleep.asleep);
    },
  ],
  [
    'idle',
    () => {
      worker.setInt(SlotInt.idleMode, IdleMode.active);
      worker.setTime(SlotTime.polledAt, sharedNow());
    },
  ],
  [
    'not late',
    () => {
      worker.setTime(SlotTime.tickAt, sharedNow() - 10);
    },
  ],
  [
    'another one',
    () => {
      worker.setInt(SlotInt.threadId, 8);
    },
  ],
])('a worker that is %s is not waited for', (_, change) => {
  worker.setTime(SlotTime.tickAt, sharedNow() - 300);
  change();
  const start = sharedNow();
  for (let i = 0; i < 100; i++) awaitReports(registry, 7);
  expect((sharedNow() - start) / 100).toBeLessThan(4);
});
