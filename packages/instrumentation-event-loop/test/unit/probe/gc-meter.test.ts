import { afterEach, beforeEach, expect, test } from '@jest/globals';
import v8 from 'node:v8';
import vm from 'node:vm';
import { collectedWithin } from '../../../src/blocks/thread-times.js';
import { GcMeter, MAX_PAUSES } from '../../../src/probe/gc-meter.js';

// It takes effect for code that is compiled later.
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;

const now = performance.now.bind(performance);

let meter: GcMeter;

beforeEach(() => {
  meter = new GcMeter();
});

afterEach(() => {
  meter.disarm();
});

/** Collects young objects only: in a large heap, a full collection takes a second. Returns how long that took, ms. */
function collect(times = 1): number {
  const start = now();
  for (let i = 0; i < times; i++) gc({ type: 'minor' });
  return now() - start;
}

/** The time that is known, however it is spread. */
function totalMs(): number {
  return meter.pauses().pauses.reduce((sum, { start, end }) => sum + end - start, 0);
}

test('collections are measured at once, within the blocked code', () => {
  const start = now();
  meter.read(start);
  const collectedMs = collect(5);
  const end = now();
  meter.read(end);
  const gcMs = collectedWithin({ start, end }, meter.pauses());
  expect(gcMs).toBeGreaterThan(collectedMs / 4);
  expect(gcMs).toBeLessThanOrEqual(end - start);
});

test('collections after the last reading do not count for the time before', () => {
  const start = now();
  meter.read(start);
  const end = now();
  meter.read(end);
  const before = collectedWithin({ start, end }, meter.pauses());
  collect(5);
  meter.read(now());
  expect(collectedWithin({ start, end }, meter.pauses())).toBe(before);
  expect(totalMs()).toBeGreaterThan(before!);
});

test('a collection ends at the reading after it: the thread is asked during it, and answers then', () => {
  meter.read(now());
  const idleUntil = now() + 20;
  while (now() < idleUntil);
  collect();
  const at = now();
  meter.read(at);
  expect(meter.pauses().pauses.at(-1)?.end).toBeCloseTo(at, 3);
});

test('an answer that comes at once soon after a reading needs none', () => {
  meter.onAnswer(0, 1000, false);
  collect();
  meter.onAnswer(1010, 1010.1, false);
  expect(totalMs()).toBe(0);
  // A collection may have delayed this one.
  meter.onAnswer(1020, 1021, false);
  expect(meter.pauses().pauses).not.toEqual([]);
});

test.each([
  ['that is long ago', 1060, false],
  ['before a report', 1010, true],
])('a reading %s is followed by another', (_, at, wantsReport) => {
  meter.onAnswer(0, 1000, false);
  collect();
  meter.onAnswer(at, at, wantsReport);
  expect(meter.pauses().pauses).not.toEqual([]);
});

test('the GC time is unknown when it was measured for less than half of the interval', () => {
  const at = now();
  expect(collectedWithin({ start: at - 100, end: at }, meter.pauses())).toBeUndefined();
  meter.read(at);
  expect(collectedWithin({ start: at - 100_000, end: at + 10 }, meter.pauses())).toBeUndefined();
});

test('disarming forgets the pauses, and does no harm twice', () => {
  const start = now();
  meter.read(start);
  collect();
  meter.read(now());
  meter.disarm();
  meter.disarm();
  expect(meter.isArmed).toBe(false);
  expect(meter.pauses()).toEqual({ observedSince: undefined, pauses: [] });
  meter.read(now());
  expect(totalMs()).toBe(0);
});

test('however many collections there are, what is kept is bounded and adds up to all of them', () => {
  meter.read(now());
  let expectedMs = 0;
  for (let round = 0; round < 3; round++) {
    collect(MAX_PAUSES / 2);
    meter.read(now());
    const known = totalMs();
    expect(known).toBeGreaterThan(expectedMs);
    expectedMs = known;
  }
  expect(meter.pauses().pauses.length).toBeLessThanOrEqual(MAX_PAUSES);
});

test('a program that replaces the iterator of arrays, JSON.parse and the profiler is not called', () => {
  const replaced: [object, PropertyKey][] = [
    [Array.prototype, Symbol.iterator],
    [Array.prototype, 'push'],
    [JSON, 'parse'],
    [v8, 'GCProfiler'],
  ];
  const originals = replaced.map(([object, key]) => Object.getOwnPropertyDescriptor(object, key)!);
  let calls = 0;
  let wasArmed: boolean;
  try {
    // Without destructuring, which calls the iterator.
    for (let i = 0; i < replaced.length; i++) {
      Object.defineProperty(replaced[i]![0], replaced[i]![1], { ...originals[i], value: () => calls++ });
    }
    meter.read(now());
    gc({ type: 'minor' });
    meter.read(now());
    wasArmed = meter.isArmed;
  } finally {
    for (let i = 0; i < replaced.length; i++) {
      Object.defineProperty(replaced[i]![0], replaced[i]![1], originals[i]!);
    }
  }
  expect(calls).toBe(0);
  expect(wasArmed).toBe(true);
  expect(totalMs()).toBeGreaterThan(0);
});
