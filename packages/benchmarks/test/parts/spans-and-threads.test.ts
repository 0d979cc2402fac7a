import { expect, test } from '@jest/globals';

import { summarizeSpans } from '../../src/parts/measure-spans.ts';
import { rowOf } from '../../src/parts/measure-threads.ts';

test('the cost that the processor adds to a span is estimated within pairs, at any speed of their processes', () => {
  const batches = (speed: number) => ({
    kind: 'SERVER span',
    pairs: Array.from({ length: 6 }, (_, index) => ({ without: speed + index, with: speed + index + 250 })),
  });
  expect(
    summarizeSpans([batches(1000), { kind: 'child span', pairs: [{ without: 5, with: 4 }] }, batches(3000)]),
  ).toEqual([
    { kind: 'SERVER span', nanoseconds: 1005, added: { value: 250, low: 250, high: 250 } },
    { kind: 'child span', nanoseconds: 5, added: { value: -1 } },
  ]);
});

test('the phases of a process become one row, with and without the instrumentation', () => {
  expect(
    rowOf(4, [
      { phase: 'idle', processPercent: 1 },
      { phase: 'busy', processPercent: 50 },
      { phase: 'idleInstrumented', processPercent: 2, watchdogPercent: 0.5 },
      { phase: 'busyInstrumented', processPercent: 52 },
    ]),
  ).toEqual({
    workers: 4,
    idle: { unwatchedPercent: 1, watchedPercent: 2, watchdogPercent: 0.5 },
    busy: { unwatchedPercent: 50, watchedPercent: 52 },
  });
  expect(() => rowOf(4, [{ phase: 'idle', processPercent: 1 }])).toThrow(
    'Expected the phase idleInstrumented, got idle',
  );
});
