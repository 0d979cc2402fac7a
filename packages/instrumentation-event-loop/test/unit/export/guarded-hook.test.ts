import { diag, DiagLogLevel, trace, type Span } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { blockInfo } from '../../../src/export/block-info.js';
import { GuardedHook } from '../../../src/export/guarded-hook.js';
import type { BlockHook, BlockInfo } from '../../../src/types.js';
import { block } from '../support/builders.js';
import { logTo } from '../support/diag-log.js';

const SPAN: Span = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
const log = jest.fn<(message: string) => void>();

beforeEach(() => {
  logTo(log);
  log.mockClear();
});

afterEach(() => {
  diag.disable();
});

let time = 1000;
const now = (): number => time;

function spin(ms: number): void {
  time += ms;
}

function info(start: number, end: number): BlockInfo {
  return blockInfo(block({ start, end, durationMs: end - start }), true, 0);
}

test('a hook that blocks is not called for its own block, which is logged once', () => {
  const calls: number[] = [];
  const hook = new GuardedHook((_, { startTime }) => {
    calls.push(startTime);
    spin(20);
  }, now);
  const first = now();
  hook.call(SPAN, info(first - 200, first));
  // The block of the call itself, as the monitor measures it: a little longer on both sides.
  hook.call(SPAN, info(first - 1, now() + 1));
  hook.call(SPAN, info(first - 1, now() + 1));
  expect(calls).toEqual([first - 200]);
  expect(log).toHaveBeenCalledTimes(1);
  expect(log.mock.calls[0]?.[0]).toMatch(/^The blockHook has blocked the event loop itself, for \d+ ms/);
});

const rejects = (() => Promise.reject(new Error('of the hook'))) satisfies () => unknown as BlockHook;

test('a hook that is asynchronous and rejects is logged, and rejects nothing that is not handled', async () => {
  const hook = new GuardedHook(rejects, now);
  hook.call(SPAN, info(800, 1000));
  await new Promise((resolve) => setImmediate(resolve));
  expect(log.mock.calls).toEqual([
    [expect.stringMatching(/^The blockHook has thrown an error/), new Error('of the hook')],
  ]);
});

test('several calls in one iteration add up', () => {
  let count = 0;
  const hook = new GuardedHook(() => {
    count++;
    spin(10);
  }, now);
  const start = now();
  for (let i = 0; i < 4; i++) hook.call(SPAN, info(-1000 * i - 200, -1000 * i));
  hook.call(SPAN, info(start, now()));
  expect(count).toBe(4);
});

test('the hook is called for a block of the application, also when a call of the hook was a small part of it', () => {
  let count = 0;
  const hook = new GuardedHook(() => {
    count++;
    spin(10);
  }, now);
  const start = now();
  hook.call(SPAN, info(start - 100, start));
  hook.call(SPAN, info(start, now() + 300));
  expect(count).toBe(2);
});

test('a hook that throws does not throw into the application, even with a logger that throws', () => {
  diag.setLogger(
    {
      error: () => {
        throw new Error('a broken logger');
      },
      warn: log,
      info: log,
      debug: log,
      verbose: log,
    },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const hook = new GuardedHook(() => {
    throw new Error('user code');
  }, now);
  expect(() => {
    hook.call(SPAN, info(0, 200));
  }).not.toThrow();
});

test('without a hook nothing is called', () => {
  expect(() => {
    new GuardedHook(undefined).call(SPAN, info(0, 200));
  }).not.toThrow();
});
