import { describe, expect, test } from '@jest/globals';
import { blockedSpans, describeCombination, durationMs, histogram } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { expectCleanExit } from './support.ts';
import { node20, node24, runOnce } from './thread-support.ts';

interface Inventory {
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly descriptors: number;
  readonly files: number;
  readonly threads: number;
  readonly resources: string;
  readonly listeners: string;
  readonly slots: number;
  readonly globals: number;
}

/** What code that is compiled and caches that fill add, whatever is done how often. */
const measuringErrorBytes = 1_500_000;

async function soak(scene: string, repetitions: number, combination = node24) {
  const result = await runOnce(combination, 'soak.cjs', {
    preload: 'none',
    flags: ['--expose-gc'],
    args: [scene, String(repetitions)],
    timeoutMs: 110_000,
  });
  expectCleanExit(result);
  const inventories = result.notes.get('inventories') as readonly Inventory[];
  return { result, inventories, after: result.notes.get('after the end') as Inventory };
}

/** Nothing that can be counted differs between a fifth of the way and its end, and memory by no more than it wavers. */
function expectFlat([first, ...others]: readonly Inventory[]): void {
  const last = others.at(-1)!;
  const countable = ({ heapBytes: _, externalBytes: __, ...rest }: Inventory): Partial<Inventory> => rest;
  expect(countable(last)).toEqual(countable(first!));
  expect(last.heapBytes - first!.heapBytes).toBeLessThan(measuringErrorBytes);
  expect(last.externalBytes - first!.externalBytes).toBeLessThan(measuringErrorBytes / 10);
}

/** The watchdog and all that belongs to it are gone. */
function expectNothingLeft(after: Inventory, before: Inventory): void {
  expect(after).toMatchObject({ slots: 0, files: 0, resources: before.resources });
  expect(after.threads).toBe(before.threads - 1);
  expect(after.descriptors).toBeLessThan(before.descriptors);
  expect(after.globals).toBe(before.globals - 1); // the probe
}

// What is held depends on our code and not on Node's version; descriptors of threads are Node's, too.
describe('Memory, handles and slots are the same after', () => {
  test('a million turns of the loop', async () => {
    const { inventories, after } = await soak('turns', 1_000_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test('all the blocks of ten milliseconds that fit into some seconds, each of which is counted', async () => {
    const blocks = 600;
    const { result, inventories } = await soak('blocks', blocks);
    expectFlat(inventories);
    expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBeGreaterThanOrEqual(blocks);
    // The budget of a minute, and the first of each culprit.
    expect(blockedSpans(result).length).toBeLessThan(100);
    for (const span of blockedSpans(result)) expect(durationMs(span)).toBeGreaterThanOrEqual(10);
  });

  test('ten thousand times off and on again', async () => {
    const { inventories, after } = await soak('toggles', 10_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test('ten thousand instances that were made beside the first and switched off', async () => {
    const { inventories, after } = await soak('instances', 10_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test.each([node20, node24].map((on) => [describeCombination(on), on] as const))(
    'watchdogs that have gone and come again (%s)',
    async (_label, combination) => {
      const { inventories, after } = await soak('restarts', 5, combination);
      expectFlat(inventories);
      expectNothingLeft(after, inventories[0]!);
    },
  );
});
