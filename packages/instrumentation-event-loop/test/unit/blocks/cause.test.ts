import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { causeOf } from '../../../src/blocks/cause.js';
import { debuggerPauseMs } from '../../../src/blocks/debugger-pause.js';
import type { WeightedSample } from '../../../src/blocks/weights.js';
import type { BlockTimes, Cause, Frame } from '../../../src/contract/model.js';
import { builtinFrame, dependencyFrame, entryFrame, frame, nodeFrame, weighted } from '../support/builders.js';

const app = frame('work');
const live = [weighted([app], 100)];
const late = [weighted([app], 100, { isLate: true })];
const asleep = [weighted([builtinFrame('Atomics.wait'), app], 100)];

function times(cpuMs?: number, runQueueMs?: number, gcMs?: number): BlockTimes {
  return { cpuMs, runQueueMs, gcMs };
}

type Case = readonly [what: string, times: BlockTimes, samples: readonly WeightedSample[], cause: Cause];

const BLOCK_MS = 100;

const cases: readonly Case[] = [
  // Starvation: the run queue has half.
  ['half of it in the run queue', times(50, 50, 0), live, 'cpu_starved'],
  ['just less than half of it in the run queue', times(50.1, 49.9, 0), live, 'javascript'],
  ['starved while in a native call', times(10, 90, 0), late, 'cpu_starved'],
  ['starved without samples', times(0, 100, undefined), [], 'cpu_starved'],
  ['starved rather than collecting', times(50, 50, 50), live, 'cpu_starved'],
  // Waiting: neither on a CPU nor wanting one for half of it.
  ['half of it asleep', times(50, 0, 0), live, 'waiting'],
  ['just less than half of it asleep', times(50.1, 0, 0), live, 'javascript'],
  ['asleep without samples', times(1, 0, undefined), [], 'waiting'],
  ['a third each on a CPU, in the run queue and asleep', times(34, 33, 0), live, 'javascript'],
  // The same where the system does not tell the run queue: only the stack can tell sleep from starvation.
  ['off CPU, in Atomics.wait', times(2), asleep, 'waiting'],
  ['off CPU, in application code', times(2), live, 'unknown'],
  [
    'off CPU, without samples to tell',
    times(2),
    [weighted([app], 60), ...asleep.map((s) => ({ ...s, weightMs: 40 }))],
    'unknown',
  ],
  [
    'off CPU, in a child process',
    times(2),
    [weighted([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100)],
    'waiting',
  ],
  ['on the CPU, in Atomics.wait', times(100), asleep, 'javascript'],
  // Collecting.
  ['half of it collecting', times(100, 0, 50), live, 'gc'],
  ['just less than half of it collecting', times(100, 0, 49.9), live, 'javascript'],
  ['collecting behind a late answer', times(100, 0, 80), late, 'gc'],
  ['collecting where no CPU time is told', times(undefined, undefined, 80), live, 'gc'],
  ['collecting without samples', times(100, 0, 80), [], 'gc'],
  // Native or JavaScript: by the samples.
  ['late answers', times(100, 0, 0), late, 'native'],
  ['JSON in its own frame', times(100, 0, 0), [weighted([builtinFrame('JSON.stringify'), app], 100)], 'native'],
  [
    'a regular expression in its own frame',
    times(100, 0, 0),
    [weighted([builtinFrame('RegExp.exec'), app], 100)],
    'native',
  ],
  ['application code', times(100, 0, 0), live, 'javascript'],
  ['half native', times(100, 0, 0), [weighted([app], 50), weighted([app], 50, { isLate: true })], 'native'],
  [
    'just less than half native',
    times(100, 0, 0),
    [weighted([app], 51), weighted([app], 49, { isLate: true })],
    'javascript',
  ],
  [
    "a function of the application's that is called parse",
    times(100, 0, 0),
    [weighted([frame('JSON.parse'), app], 100)],
    'javascript',
  ],
  ['nothing measured, application code', times(), live, 'javascript'],
  ['nothing measured, late answers', times(), late, 'native'],
  ['nothing measured, in Atomics.wait', times(), asleep, 'waiting'],
  [
    'nothing measured, in a child process until it answered late',
    times(),
    [weighted([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100, { isLate: true })],
    'waiting',
  ],
  // Nothing to go by.
  ['nothing measured, no samples', times(), [], 'unknown'],
  ['off CPU, no samples, and no run queue told', times(2), [], 'unknown'],
  ['on the CPU, no samples', times(100, 0, 0), [], 'unknown'],
  ['on the CPU, samples that stand for no time', times(100, 0, 0), [weighted([app], 0)], 'unknown'],
];

describe('the cause of a block of 100 ms', () => {
  test.each(cases)('%s', (_, measured, samples, cause) => {
    expect(causeOf(BLOCK_MS, measured, samples)).toBe(cause);
  });

  test('a native call is native also when the function that follows it stands on the stack', () => {
    const after = [weighted([entryFrame('next'), app], 100, { isLate: true })];
    expect(causeOf(BLOCK_MS, times(100, 0, 0), after)).toBe('native');
  });

  test("a function of the application's named execSync does not sleep", () => {
    expect(causeOf(BLOCK_MS, times(2), [weighted([frame('execSync'), app], 100)])).toBe('unknown');
  });
});

describe('time at a breakpoint', () => {
  const block = { start: 1000, end: 4000 };
  const line = (lineNumber: number): Frame => frame('work', { lineNumber });

  type Entry = readonly [takenAt: number, cpuMs: number | undefined, top: Frame];

  /** Samples of a thread, with the CPU time since the one before. */
  function samplesAt(entries: readonly Entry[], inspected = true): WeightedSample[] {
    return entries.map(([takenAt, cpuMs, top]) =>
      weighted([top], 0, { cpuMs, runQueueMs: cpuMs === undefined ? undefined : 0 }, { takenAt, inspected }),
    );
  }

  function pausedOf(entries: readonly Entry[], inspected = true): number {
    return debuggerPauseMs(samplesAt(entries, inspected), block);
  }

  /** Works in line 1, then stands still in line 2. */
  const stopped: readonly Entry[] = [
    [1100, undefined, line(1)],
    [1200, 99, line(2)],
    [2500, 1, line(2)],
    [3900, 1, line(2)],
  ];

  test('is the whole stretch in which the thread stood still at one place of the application', () => {
    expect(pausedOf(stopped)).toBe(2800);
  });

  test('is nothing where no debugger is attached', () => {
    expect(pausedOf(stopped, false)).toBe(0);
  });

  test('is nothing while the thread computes, also at one place', () => {
    expect(
      pausedOf([
        [1100, undefined, line(1)],
        [2500, 1390, line(2)],
        [3900, 1380, line(2)],
      ]),
    ).toBe(0);
  });

  test('is nothing while the thread waits for a CPU', () => {
    const starved = samplesAt(stopped).map((of) => ({ ...of, runQueueMs: of.cpuMs === undefined ? undefined : 1200 }));
    expect(debuggerPauseMs(starved, block)).toBe(0);
  });

  test("is nothing where the thread sleeps in a call of Node's or V8's", () => {
    const asleepIn = (top: Frame): number =>
      pausedOf([
        [1100, undefined, top],
        [2500, 1, top],
        [3900, 1, top],
      ]);
    expect(asleepIn(nodeFrame('spawnSync'))).toBe(0);
    expect(asleepIn(builtinFrame('Atomics.wait'))).toBe(0);
  });

  test('counts in a library, too', () => {
    const top = dependencyFrame('next');
    expect(
      pausedOf([
        [1100, undefined, line(1)],
        [1200, 1, top],
        [3900, 1, top],
      ]),
    ).toBe(2800);
  });

  test('is nothing where CPU time is not told', () => {
    expect(
      pausedOf([
        [1100, undefined, line(2)],
        [3900, undefined, line(2)],
      ]),
    ).toBe(0);
  });

  test('is nothing where no JavaScript ran', () => {
    expect(debuggerPauseMs([weighted([], 0, { cpuMs: 0 }, { takenAt: 3900, inspected: true })], block)).toBe(0);
  });

  test('is nothing without samples', () => {
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
