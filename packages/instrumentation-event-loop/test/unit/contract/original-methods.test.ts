import { afterEach, expect, jest, test } from '@jest/globals';
import { Worker } from 'node:worker_threads';
import { withOriginalMethods } from '../../../src/contract/original-methods.js';

const original = Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener');

afterEach(() => {
  if (original) Object.defineProperty(EventTarget.prototype, 'addEventListener', original);
});

test("a new worker does not use the application's patch of addEventListener, which stays in place", async () => {
  const patch = jest.fn();
  Object.defineProperty(EventTarget.prototype, 'addEventListener', { ...original, value: patch });
  const worker = withOriginalMethods(() => new Worker('', { eval: true }));
  expect(patch).not.toHaveBeenCalled();
  expect(Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener')?.value).toBe(patch);
  await worker.terminate();
});
