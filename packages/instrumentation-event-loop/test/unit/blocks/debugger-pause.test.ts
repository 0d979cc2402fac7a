import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { debuggerPauses } from '../../../src/blocks/outside.js';
import { overlapMs, type Interval } from '../../../src/contract/interval.js';
import type { Frame, Sample } from '../../../src/contract/model.js';
import { builtinFrame, dependencyFrame, frame, nodeFrame, sample } from '../support/builders.js';

function debuggerPauseMs(samples: readonly Sample[], block: Interval): number {
  return overlapMs(block, debuggerPauses({ start: block.start, samples, before: undefined }));
}

describe('time at a breakpoint', () => {
  const block = { start: 1000, end: 4000 };
  const line = (lineNumber: number): Frame => frame('work', { lineNumber });

  type Entry = readonly [takenAt: number, cpuMs: number | undefined, top: Frame];

  /** Samples of a thread, each with the CPU time since the one before; undefined for the first one, or for all. */
  function samplesAt(entries: readonly Entry[], inspected = true, waitedMs = 0): Sample[] {
    const isUnknown = entries.every(([, cpuMs]) => cpuMs === undefined);
    let times = { cpuMs: 0, runQueueMs: 0 };
    return entries.map(([takenAt, cpuMs = 0, top]) => {
      times = { cpuMs: times.cpuMs + cpuMs, runQueueMs: times.runQueueMs + waitedMs };
      return sample([top], { takenAt, inspected, threadTimes: isUnknown ? undefined : times });
    });
  }

  function pausedOf(entries: readonly Entry[], inspected = true): number {
    return debuggerPauseMs(samplesAt(entries, inspected), block);
  }

  /** The thread works in line 1 until the second sample, then stays in line 2. */
  const stopped: readonly Entry[] = [
    [1100, undefined, line(1)],
    [1200, 99, line(2)],
    [2500, 1, line(2)],
    [3900, 1, line(2)],
  ];

  test('is the whole time in which the thread stays at one place of the application', () => {
    expect(pausedOf(stopped)).toBe(2700);
  });

  test('is 0 without a debugger', () => {
    expect(pausedOf(stopped, false)).toBe(0);
  });

  test('is 0 while the thread computes, also at one place', () => {
    expect(
      pausedOf([
        [1100, undefined, line(1)],
        [2500, 1390, line(2)],
        [3900, 1380, line(2)],
      ]),
    ).toBe(0);
  });

  test('is 0 while the thread waits for a CPU', () => {
    expect(debuggerPauseMs(samplesAt(stopped, true, 1200), block)).toBe(0);
  });

  test('is 0 while the thread sleeps in a function of Node or V8', () => {
    const asleepIn = (top: Frame): number =>
      pausedOf([
        [1100, undefined, top],
        [2500, 1, top],
        [3900, 1, top],
      ]);
    expect(asleepIn(nodeFrame('spawnSync'))).toBe(0);
    expect(asleepIn(builtinFrame('Atomics.wait'))).toBe(0);
  });

  test('includes a breakpoint in a library', () => {
    const top = dependencyFrame('next');
    expect(
      pausedOf([
        [1100, undefined, line(1)],
        [1200, 1, top],
        [3900, 1, top],
      ]),
    ).toBe(2800);
  });

  test('is 0 where the CPU time is unknown', () => {
    expect(
      pausedOf([
        [1100, undefined, line(2)],
        [3900, undefined, line(2)],
      ]),
    ).toBe(0);
  });

  test('is 0 where no JavaScript runs', () => {
    expect(debuggerPauseMs([sample([], { takenAt: 3900, inspected: true })], block)).toBe(0);
  });

  test('is 0 without samples', () => {
    expect(debuggerPauseMs([], block)).toBe(0);
  });

  test('adds up over several breakpoints', () => {
    const entries: readonly Entry[] = [
      [1100, undefined, line(1)],
      [1600, 1, line(2)],
      [2100, 1, line(2)],
      [2200, 99, line(3)],
      [2300, 98, line(3)],
      [2800, 1, line(4)],
      [3300, 1, line(4)],
    ];
    expect(pausedOf(entries)).toBe(2000);
  });

  test('is never more than the block', () => {
    const entries = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 900 }),
        fc.option(fc.nat(900), { nil: undefined }),
        fc.integer({ min: 1, max: 3 }),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(entries, (steps) => {
        let takenAt = block.start;
        const series = steps.map(([ms, cpuMs, at]): Entry => [(takenAt += ms), cpuMs, line(at)]);
        const pausedMs = debuggerPauseMs(samplesAt(series), { start: block.start, end: takenAt });
        expect(pausedMs).toBeGreaterThanOrEqual(0);
        expect(pausedMs).toBeLessThanOrEqual(takenAt - block.start);
      }),
    );
  });
});
