import { diag } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { callStartUpHook } from '../../../src/export/start-up-hook.js';
import type { StartUpHook } from '../../../src/types.js';
import { logTo } from '../support/diag-log.js';

const START_UP = { durationMs: 120, threadId: 0, threadName: 'main' };
const log = jest.fn<(message: string) => void>();

beforeEach(() => {
  logTo(log);
  log.mockClear();
});

afterEach(() => {
  diag.disable();
});

const expectLogged = (): void => {
  expect(log.mock.calls).toEqual([[expect.stringMatching(/^The startUpHook has thrown an error/), new Error('of it')]]);
};

test('what a hook throws is logged', () => {
  callStartUpHook(() => {
    throw new Error('of it');
  }, START_UP);
  expectLogged();
});

test('a hook that is asynchronous and rejects is logged, and rejects nothing that is not handled', async () => {
  const rejects = (() => Promise.reject(new Error('of it'))) satisfies () => unknown as StartUpHook;
  callStartUpHook(rejects, START_UP);
  await new Promise((resolve) => setImmediate(resolve));
  expectLogged();
});
