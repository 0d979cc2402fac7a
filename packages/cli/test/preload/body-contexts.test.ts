import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import { afterEach, expect, test } from '@jest/globals';

import { stopWatchingBodies, watchBodies } from '../../src/preload/requests/body-contexts.js';

afterEach(stopWatchingBodies);

class Body extends Readable {
  override _read(): void {
    // The tests push.
  }
}

test('what watches a body is called before its listeners, and is not on their stack', async () => {
  const events: string[] = [];
  const body = new Body();
  watchBodies(body, () => events.push('watched'));
  body.on('data', () => events.push(new Error('where').stack ?? ''));
  await setImmediate(); // it flows
  body.push('part');
  expect(events).toEqual(['watched', expect.stringMatching(/^Error: where.*Readable\.push/s)]);
  expect(events.join('')).not.toContain('src/preload');
});

test('a class is watched once, and as it was afterwards', () => {
  let count = 0;
  const watch = (): void => {
    watchBodies(new Body(), () => count++);
  };
  watch();
  watch();
  const body = new Body();
  body.push('part');
  expect(count).toBe(1);
  stopWatchingBodies();
  body.push('part');
  expect(count).toBe(1);
  expect(Object.hasOwn(Body.prototype, 'push')).toBe(false);
});

test('the program can replace the method, of one body and of all', () => {
  watchBodies(new Body(), () => undefined);
  const own = (): boolean => true;
  const body = new Body();
  body.push = own;
  expect(Object.getOwnPropertyDescriptor(body, 'push')).toMatchObject({ value: own, enumerable: true });
  expect(Reflect.get(new Body(), 'push')).toBe(Reflect.get(Readable.prototype, 'push'));
  Body.prototype.push = own;
  stopWatchingBodies();
  expect(Reflect.get(new Body(), 'push')).toBe(own);
  Reflect.deleteProperty(Body.prototype, 'push');
});

test('a class that the program has frozen stays as it is', () => {
  class Frozen extends Body {}
  Object.freeze(Frozen.prototype);
  expect(() => {
    watchBodies(new Frozen(), () => undefined);
  }).not.toThrow();
  expect(Object.hasOwn(Frozen.prototype, 'push')).toBe(false);
});
