import { AsyncResource } from 'node:async_hooks';
import { readFile } from 'node:fs';
import { createServer } from 'node:net';
import timers from 'node:timers';
import { expect, test } from '@jest/globals';
import { currentAsyncResource } from '../../../src/probe/async-resource.js';

function inside(arm: (callback: () => void) => void): Promise<string> {
  return new Promise((resolve) => {
    arm(() => {
      resolve(currentAsyncResource());
    });
  });
}

test.each<[string, (callback: () => void) => void]>([
  ['Timeout', (callback) => timers.setTimeout(callback, 1)],
  ['Immediate', (callback) => timers.setImmediate(callback)],
  [
    'TickObject',
    (callback) => {
      process.nextTick(callback);
    },
  ],
  [
    'FSREQCALLBACK',
    (callback) => {
      readFile('/nonexistent', callback);
    },
  ],
])('the resource of a callback has the name that async_hooks gives it: %s', async (type, arm) => {
  await expect(inside(arm)).resolves.toBe(type);
});

test('a resource of a library has the type that the library gave it', () => {
  class Query extends AsyncResource {
    readonly type = 'KNEX_QUERY';
  }
  expect(new Query('ignored').runInAsyncScope(currentAsyncResource)).toBe('KNEX_QUERY');
});

test('a resource of a library without a type has the name of its class', () => {
  class PoolTask extends AsyncResource {}
  expect(new PoolTask('ignored').runInAsyncScope(currentAsyncResource)).toBe('PoolTask');
});

test('the callback of a listening server has the name of its handle', async () => {
  const server = createServer();
  const type = await inside((callback) => server.listen(0, '127.0.0.1', callback));
  server.close();
  expect(typeof type).toBe('string');
  expect(type).not.toBe('Object');
});

test('a getter of a resource is not called', () => {
  let ran = false;
  class Odd extends AsyncResource {
    get trap(): string {
      ran = true;
      return '';
    }
  }
  const resource = new Odd('Odd');
  Object.defineProperty(resource, 'type', {
    get() {
      ran = true;
      throw new Error('ran');
    },
  });
  expect(resource.runInAsyncScope(currentAsyncResource)).toBe('Odd');
  expect(ran).toBe(false);
});

test('a resource whose class name is a getter has no type, and the getter is not called', () => {
  let ran = false;
  class Odd extends AsyncResource {}
  Object.defineProperty(Odd, 'name', {
    get() {
      ran = true;
      throw new Error('ran');
    },
  });
  expect(new Odd('Odd').runInAsyncScope(currentAsyncResource)).toBe('');
  expect(ran).toBe(false);
});

test('a resource that is a proxy has no type, and no trap of it is called', () => {
  let ran = false;
  const trap = (): never => {
    ran = true;
    throw new Error('ran');
  };
  // Node itself reads one of its own symbols.
  const resource = new Proxy(new AsyncResource('Odd'), { getOwnPropertyDescriptor: trap, getPrototypeOf: trap });
  expect(resource.runInAsyncScope(currentAsyncResource)).toBe('');
  expect(ran).toBe(false);
});
