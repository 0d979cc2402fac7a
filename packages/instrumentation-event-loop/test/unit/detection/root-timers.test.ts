import { AsyncLocalStorage } from 'node:async_hooks';
import timers from 'node:timers';
import { expect, jest, test } from '@jest/globals';
import { threadClock } from '../../../src/contract/clock.js';
import { rootTimers } from '../../../src/detection/root-timers.js';

test('root timers carry no context of the application', async () => {
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
    // Root timers keep no process alive: this timer does until they have fired.
    const keepAlive = timers.setInterval(() => undefined, 1);
    const stores = await Promise.all([inTimeout, inImmediate, inInterval]);
    timers.clearInterval(keepAlive);
    return stores;
  });
  expect(seen).toEqual([undefined, undefined, undefined]);
});

test('root timers keep no process alive', () => {
  const armed = [rootTimers.setTimeout(() => undefined, 1e6), rootTimers.setInterval(() => undefined, 1e6)];
  expect(armed.map((timer) => timer.hasRef())).toEqual([false, false]);
  armed.forEach((timer) => {
    rootTimers.clearTimeout(timer);
  });
  const immediate = rootTimers.setImmediate(() => undefined);
  expect(immediate.hasRef()).toBe(false);
  rootTimers.clearImmediate(immediate);
});

test('fake timers in the tests of an application do not replace root timers', async () => {
  jest.useFakeTimers();
  try {
    await new Promise<void>((resolve) => rootTimers.setTimeout(resolve, 5).ref());
  } finally {
    jest.useRealTimers();
  }
  expect(threadClock.now()).toBeGreaterThan(0);
});
