import { describe, expect, test } from '@jest/globals';
import { combinationPerMajor, describeCombination, durationMs, epochMs } from '@loopwatch/test-support';
import type { SpanRecord } from '@loopwatch/test-support';

import {
  ATTR_LIBUV_THREAD_POOL_HOLDERS,
  ATTR_LIBUV_THREAD_POOL_SIZE,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '../../src/semconv.ts';
import { expectCleanExit } from './support.ts';
import { runOnce } from './thread-support.ts';

/** How many tasks of each kind fill the pool; see fixtures/pool-set-up.cjs. */
type Fill = Partial<Record<'file' | 'pbkdf2' | 'scrypt' | 'gzip' | 'lookup' | 'stat', number>>;

interface Wait {
  readonly queuedEpochMs: number;
  readonly ms: number;
}

const FULL_MS = 1500;

/** Size of the pool, what fills it, and the threads that hold it; undefined where a thread is free for most of the time. */
const setUps: readonly (readonly [size: number, fill: Fill, holders: Readonly<Record<string, number>> | undefined])[] =
  [
    [1, { file: 1 }, { openat: 1 }],
    [1, { pbkdf2: 6 }, { cpu: 1 }],
    [1, { stat: 1 }, undefined],
    [2, { file: 2 }, { openat: 2 }],
    [2, { file: 1, pbkdf2: 8 }, { openat: 1, cpu: 1 }],
    [4, { file: 4 }, { openat: 4 }],
    [4, { file: 9 }, { openat: 4 }],
    [4, { pbkdf2: 40 }, { cpu: 4 }],
    [4, { scrypt: 24 }, { cpu: 4 }],
    [4, { gzip: 40 }, { cpu: 4 }],
    [4, { file: 3, pbkdf2: 12 }, { openat: 3, cpu: 1 }],
    [4, { file: 2, scrypt: 12 }, { openat: 2, cpu: 2 }],
    [4, { file: 1, gzip: 30 }, { openat: 1, cpu: 3 }],
    [4, { pbkdf2: 20, gzip: 20 }, { cpu: 4 }],
    [4, { file: 3 }, undefined],
    [4, { pbkdf2: 2 }, undefined],
    [4, { lookup: 10 }, undefined],
    [4, { stat: 20, lookup: 4 }, undefined],
    [64, { file: 64 }, { openat: 64 }],
    [64, { file: 60, pbkdf2: 40 }, { openat: 60, cpu: 4 }],
    [64, { file: 63 }, undefined],
    [64, { pbkdf2: 8 }, undefined],
  ];

/** How far the wait is from those of the program's tasks that were queued next to it, at most: a share, or this time, ms. */
const WRONG_SHARE = 0.2;
const GRANULARITY_MS = 50;

/** How long the program's own tasks waited that were queued next to it. */
function waitsNear(starved: SpanRecord, waits: readonly Wait[]): readonly Wait[] {
  const queuedMs = epochMs(starved.startTime);
  const distance = ({ queuedEpochMs }: Wait): number => Math.abs(queuedEpochMs - queuedMs);
  return [...waits].sort((a, b) => distance(a) - distance(b)).slice(0, 4);
}

/** The queue changes while tasks are short: the tasks before and after it tell how long a task waited. */
function expectAsLong(starved: SpanRecord, waits: readonly Wait[]): void {
  const near = waitsNear(starved, waits);
  const [shortest, longest] = [Math.min(...near.map(({ ms }) => ms)), Math.max(...near.map(({ ms }) => ms))];
  const reportedMs = durationMs(starved);
  expect({
    reportedMs,
    near,
    isTooShort: reportedMs < Math.min(shortest * (1 - WRONG_SHARE), shortest - GRANULARITY_MS),
    isTooLong: reportedMs > Math.max(longest * (1 + WRONG_SHARE), longest + GRANULARITY_MS),
  }).toMatchObject({ isTooShort: false, isTooLong: false });
}

/** Of 64 threads, two in the mean may have been seen between two tasks. */
const MAX_WRONG_THREADS = 2;

describe.each(combinationPerMajor.map((on) => [describeCombination(on), on] as const))('%s', (_label, on) => {
  test.each(setUps.map((setUp) => [setUp[0], JSON.stringify(setUp[1]), setUp] as const))(
    'a pool of %i with %s',
    async (_size, _fill, [size, fill, holders]) => {
      const result = await runOnce(on, 'pool-set-up.cjs', {
        args: [JSON.stringify({ fill, fullMs: FULL_MS })],
        env: { UV_THREADPOOL_SIZE: String(size) },
      });
      expectCleanExit(result);
      const [starved, ...others] = result.spans.filter(({ name }) => name === SPAN_LIBUV_THREAD_POOL_STARVED);
      const waits = result.notes.get('waits') as readonly Wait[];
      expect(others).toEqual([]);
      // None of a free pool, also on an overloaded host, which keeps its threads from the CPU: its tasks wait, but not for it.
      expect({ isReported: starved !== undefined }).toEqual({ isReported: holders !== undefined });
      if (holders === undefined || starved === undefined) return;
      expectAsLong(starved, waits);
      // One thread without a name cannot be found on Node.js 20.
      if (size === 1 && on.nodeMajor === 20) return;
      expect(starved.attributes[ATTR_LIBUV_THREAD_POOL_SIZE]).toBe(size);
      const seen = Object.fromEntries(
        (starved.attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS] as string[]).map((text) => text.split('×')),
      ) as Record<string, string>;
      for (const [holder, count] of Object.entries(holders)) {
        const wrong = Math.abs(Number(seen[holder] ?? 0) - count);
        expect({ seen, holder, isRight: size < 64 ? wrong === 0 : wrong <= MAX_WRONG_THREADS }).toMatchObject({
          isRight: true,
        });
      }
    },
  );
});
