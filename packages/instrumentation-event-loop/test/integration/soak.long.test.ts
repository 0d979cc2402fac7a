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

/** Growth by compiled code and filled caches, which does not depend on the number of repetitions. */
const onceOnlyBytes = 1_500_000;

async function soak(scenario: string, repetitions: number, combination = node24) {
  const result = await runOnce(combination, 'soak.cjs', {
    preload: 'none',
    flags: ['--expose-gc'],
    args: [scenario, String(repetitions)],
    timeoutMs: 110_000,
  });
  expectCleanExit(result);
  const inventories = result.notes.get('inventories') as readonly Inventory[];
  return { result, inventories, after: result.notes.get('after the end') as Inventory };
}

/** Between one fifth of the repetitions and all of them, no count differs, and memory grows by no more than its noise. */
function expectFlat([first, ...others]: readonly Inventory[]): void {
  const last = others.at(-1)!;
  const countable = ({ heapBytes: _, externalBytes: __, ...rest }: Inventory): Partial<Inventory> => rest;
  expect(countable(last)).toEqual(countable(first!));
  expect(last.heapBytes - first!.heapBytes).toBeLessThan(onceOnlyBytes);
  expect(last.externalBytes - first!.externalBytes).toBeLessThan(onceOnlyBytes / 10);
}

/** The watchdog and its resources are gone. */
function expectNothingLeft(after: Inventory, before: Inventory): void {
  expect(after).toMatchObject({ slots: 0, files: 0, resources: before.resources });
  expect(after.threads).toBe(before.threads - 1);
  expect(after.descriptors).toBeLessThan(before.descriptors);
  expect(after.globals).toBe(before.globals - 1); // the probe
}

// One Node.js major is enough: only the descriptors of threads depend on Node.js, and the last test uses two majors.
describe('Memory, handles and slots are the same after', () => {
  test('a million loop iterations', async () => {
    const { inventories, after } = await soak('iterations', 1_000_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test('six hundred blocks of 11 ms, which are all counted', async () => {
    const blocks = 600;
    const { result, inventories } = await soak('blocks', blocks);
    expectFlat(inventories);
    expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBeGreaterThanOrEqual(blocks);
    // The span budget of a minute, and the first span of each culprit.
    expect(blockedSpans(result).length).toBeLessThan(100);
    for (const span of blockedSpans(result)) expect(durationMs(span)).toBeGreaterThanOrEqual(10);
  });

  test('the instrumentation is disabled and enabled ten thousand times', async () => {
    const { inventories, after } = await soak('toggles', 10_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test('ten thousand further instances are created and disabled', async () => {
    const { inventories, after } = await soak('instances', 10_000);
    expectFlat(inventories);
    expectNothingLeft(after, inventories[0]!);
  });

  test.each([node20, node24].map((on) => [describeCombination(on), on] as const))(
    'the watchdog stops and starts again five times (%s)',
    async (_label, combination) => {
      const { inventories, after } = await soak('restarts', 5, combination);
      expectFlat(inventories);
      expectNothingLeft(after, inventories[0]!);
    },
  );
});
