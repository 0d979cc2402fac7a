import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import v8 from 'node:v8';
import vm from 'node:vm';
import { collectedWithin } from '../../../src/blocks/thread-times.js';
import { GcMeter, MAX_PAUSES } from '../../../src/probe/gc-meter.js';

// It takes effect for code that is compiled later.
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;

const now = performance.now.bind(performance);

let meter: GcMeter;
let idleMs: number;

beforeEach(() => {
  idleMs = 0;
  meter = new GcMeter(() => now() - idleMs);
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

test('collections before the first answer are measured: V8 answers when they are over', () => {
  meter.onBeat(now(), now(), false);
  const start = now();
  const collectedMs = collect(5);
  const end = now();
  meter.onAnswer(start, end, false);
  expect(collectedWithin({ start, end }, meter.pauses())).toBeGreaterThan(collectedMs / 4);
});

test('collections take place while the loop is busy, and not in the idle time since the last reading', () => {
  const armedAt = now() - 1000;
  meter.onBeat(armedAt, armedAt, false);
  idleMs = now() - armedAt;
  const start = now();
  collect(3);
  const end = now();
  meter.read(end);
  expect(collectedWithin({ start, end }, meter.pauses())).toBeCloseTo(totalMs(), 1);
});

test('the time in collections and the busy time in which they were measured add up, without that of a rest', () => {
  const measured: number[] = [];
  for (let i = 0; i < 3; i++) {
    const at = now();
    meter.read(at);
    collect(3);
    meter.read(now());
    expect(meter.measured.busyMs).toBeGreaterThan(measured.at(-1) ?? 0);
    expect(meter.measured.gcMs).toBeCloseTo(totalMs(), 6);
    measured.push(meter.measured.busyMs);
  }
  const before = meter.measured;
  meter.disarm();
  collect(3);
  meter.read(now());
  expect(meter.measured).toEqual(before);
});

test('a beat reads where the loop has been busy, and keeps what a pending block needs', () => {
  const at = now();
  meter.onBeat(at, at, false);
  collect();
  idleMs = 1000;
  meter.onBeat(now(), at, true);
  expect(totalMs()).toBe(0);
  idleMs = -1000;
  meter.onBeat(now(), at, true);
  const known = totalMs();
  expect(known).toBeGreaterThan(0);
  meter.onBeat(now(), now(), true);
  expect(totalMs()).toBe(known);
  meter.onBeat(now(), now(), false);
  expect(totalMs()).toBe(0);
});

describe('where collections are many and short', () => {
  /** Makes beats over a second in which the loop is always busy. */
  function beatForOneSecond(collections: number): void {
    meter.onBeat(now(), now(), false);
    collect(collections);
    idleMs -= 1100;
    meter.onBeat(now(), now(), false);
    meter.onBeat(now(), now(), false);
  }

  test('the meter rests, measures a block from its first sample on, and goes on later', () => {
    beatForOneSecond(100);
    expect(meter.isArmed).toBe(false);
    meter.onAnswer(now(), now(), false);
    meter.onBeat(now(), now(), true);
    expect(meter.isArmed).toBe(true);
    meter.onBeat(now(), now(), false);
    expect(meter.isArmed).toBe(false);
    meter.onBeat(now() + 60_000, now(), false);
    expect(meter.isArmed).toBe(true);
  });

  test('a few do not make it rest', () => {
    beatForOneSecond(20);
    expect(meter.isArmed).toBe(true);
  });
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

test('an answer that interrupts a reading loses nothing', () => {
  let isInterrupted = false;
  meter.disarm();
  meter = new GcMeter(() => {
    if (isInterrupted) {
      isInterrupted = false;
      meter.onAnswer(0, now(), true);
    }
    return now();
  });
  const start = now();
  meter.read(start);
  const collectedMs = collect(5);
  isInterrupted = true;
  meter.read(now());
  expect(meter.pauses().observedSince).toBe(start);
  expect(totalMs()).toBeGreaterThan(collectedMs / 4);
  const known = totalMs();
  collect();
  meter.read(now());
  expect(totalMs()).toBeGreaterThan(known);
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
