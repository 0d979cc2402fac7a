import { AsyncLocalStorage } from 'node:async_hooks';
import timers from 'node:timers';
import { expect, jest, test } from '@jest/globals';
import { SHARED_CLOCK_OFFSET, sharedNow, threadClock } from '../../../src/contract/clock.js';
import { isAppStarted } from '../../../src/detection/app-start-up.js';
import { rootTimers } from '../../../src/detection/root-timers.js';

test("the clock that all threads share runs as the thread's own", () => {
  expect(sharedNow() - threadClock.now()).toBeCloseTo(SHARED_CLOCK_OFFSET, -2);
  const before = Number(process.hrtime.bigint()) / 1e6;
  const shared = sharedNow();
  const after = Number(process.hrtime.bigint()) / 1e6;
  // Both clocks are rounded to the microsecond or less.
  expect(shared).toBeGreaterThan(before - 0.1);
  expect(shared).toBeLessThan(after + 0.1);
});

test('time in the poll phase is idle time of the loop', async () => {
  const before = threadClock.idleTime();
  for (let i = 0; i < 5; i++) await new Promise((resolve) => timers.setTimeout(resolve, 10));
  expect(threadClock.idleTime()).toBeGreaterThan(before);
});

test("our timers carry no context of the application's", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen = await storage.run('a request', async () => {
    const inTimeout = new Promise((resolve) => {
      rootTimers.setTimeout(() => {
        resolve(storage.getStore());
      }, 1);
    });
    const inImmediate = new Promise((resolve) => {
      rootTimers.setImmediate(() => {
        rootTimers.rearmImmediate(() => {
          resolve(storage.getStore());
        });
      });
    });
    const inInterval = new Promise((resolve) => {
      const interval = rootTimers.setInterval(() => {
        rootTimers.clearInterval(interval);
        resolve(storage.getStore());
      }, 1);
    });
    // Ours keep nothing alive: this does while they run.
    const alive = timers.setInterval(() => undefined, 1);
    const stores = await Promise.all([inTimeout, inImmediate, inInterval]);
    timers.clearInterval(alive);
    return stores;
  });
  expect(seen).toEqual([undefined, undefined, undefined]);
});

test('our timers keep no process alive', () => {
  const armed = [rootTimers.setTimeout(() => undefined, 1e6), rootTimers.setInterval(() => undefined, 1e6)];
  expect(armed.map((timer) => timer.hasRef())).toEqual([false, false]);
  armed.forEach((timer) => {
    rootTimers.clearTimeout(timer);
  });
  const immediate = rootTimers.setImmediate(() => undefined);
  expect(immediate.hasRef()).toBe(false);
  rootTimers.clearImmediate(immediate);
});

test("fake timers in the application's tests do not stop ours", async () => {
  jest.useFakeTimers();
  try {
    await new Promise<void>((resolve) => rootTimers.setTimeout(resolve, 5).ref());
  } finally {
    jest.useRealTimers();
  }
  expect(threadClock.now()).toBeGreaterThan(0);
});

test('an application that has armed a timer is up', () => {
  const timer = timers.setTimeout(() => undefined, 1e6);
  expect(isAppStarted()).toBe(true);
  timers.clearTimeout(timer);
});
