import { expect, test } from '@jest/globals';

import { summarizeLoading } from '../../src/parts/measure-loading.ts';
import type { Usages } from '../../src/parts/measure-loading.ts';
import { loadingSection } from '../../src/report/loopwatch-sections.ts';
import type { BenchResult } from '../../src/result.ts';

const rounds = Array.from({ length: 9 }, (_, round) => round);
/** All rounds at this CPU, in ms, and a disturbance that both sides of a difference have. */
const usage = (process: number, thread?: number) =>
  rounds.map((round) => ({
    process: process * 1e3 + round * 500,
    ...(thread !== undefined && { thread: thread * 1e3 }),
  }));
const usages = (thread?: number): Usages => ({
  'node-ends': usage(40, thread),
  'empty-ends': usage(60, thread),
  'sdk-ends': usage(200, thread),
  'emptyAfter-ends': usage(200, thread),
  'emptyAfter-waits': usage(201, thread),
  'emptyBefore-waits': usage(201, thread),
  'after-ends': usage(212, thread),
  'after-waits': usage(251, thread),
  'before-waits': usage(261, thread),
  'worker-waits': usage(231, thread),
  'inProcess-mjs': usage(7, thread),
  'inProcess-cjs': usage(8, thread),
});

test('what a preload adds is the difference of the processes of one round', () => {
  const { nodeMs, rows } = summarizeLoading(usages(30));
  expect(nodeMs).toBe(42);
  expect(rows.slice(2).map(({ process }) => process.value)).toEqual(
    [20, 160, 12, 50, 60, 30].map((ms) => expect.closeTo(ms, 6)),
  );
  expect(rows.slice(2).map(({ thread }) => thread?.value)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('what loading takes is the CPU that a program has measured within itself', () => {
  const { rows } = summarizeLoading(usages(3));
  // The disturbance grows from 0 to 4 ms over the rounds, which the program's own thread does not have.
  expect(rows.slice(0, 2).map(({ process }) => process.value)).toEqual([9, 10]);
  expect(rows.slice(0, 2).map(({ thread }) => thread?.value)).toEqual([3, 3]);
});

test('the table has the added CPU also in starts of Node.js, and a dash where the system does not report threads', () => {
  const [section] = loadingSection({ loading: summarizeLoading(usages()) } as unknown as BenchResult);
  const row = section!.table.split('\n').find((line) => line.includes('ends at once'))!;
  expect(row.split(/ *\| */).slice(1, -1)).toEqual([
    '**Loopwatch** after the SDK, program that ends at once',
    'SDK and empty instrumentation',
    '–',
    '+12.0 [12.0, 12.0]',
    '0.29',
  ]);
  expect(section!.note).toContain('42.0 ms');
});
