import { expect, test } from '@jest/globals';
import timers from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { gcMsWithin } from '../../../src/blocks/block-times.js';
import { GcObserver, MAX_PAUSES } from '../../../src/probe/gc-observer.js';

// It takes effect for code that is compiled later.
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;

const now = performance.now.bind(performance);

/** Collects young objects only: in a large heap, a full collection takes a second. */
function collect(): void {
  gc({ type: 'minor' });
}

function observed(work: () => void): { observer: GcObserver; start: number; end: number } {
  const observer = new GcObserver(now);
  const start = now();
  observer.arm();
  work();
  return { observer, start, end: now() };
}

/** Node delivers its performance entries in a later iteration. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await timers.setTimeout(5);
}

test('garbage collections within the interval count', async () => {
  const { observer, start, end } = observed(() => {
    for (let i = 0; i < 5; i++) collect();
  });
  await settle();
  const pauseMs = gcMsWithin({ start, end }, observer.pauses());
  observer.disarm();
  expect(pauseMs).toBeGreaterThan(0);
  expect(pauseMs).toBeLessThanOrEqual(end - start);
});

test('garbage collections after the interval do not count', async () => {
  const { observer, start, end } = observed(() => undefined);
  for (let i = 0; i < 5; i++) collect();
  await settle();
  const [within, withThem] = [
    gcMsWithin({ start, end }, observer.pauses()),
    gcMsWithin({ start, end: now() }, observer.pauses()),
  ];
  observer.disarm();
  expect(withThem).toBeGreaterThan(within!);
});

test('a second reading gives the same time', async () => {
  const { observer, start, end } = observed(collect);
  await settle();
  const first = gcMsWithin({ start, end }, observer.pauses());
  const second = gcMsWithin({ start, end }, observer.pauses());
  observer.disarm();
  expect(second).toBe(first);
});

test('the GC time is unknown when the observer was armed for less than half of the interval', () => {
  const observer = new GcObserver(now);
  const at = now();
  expect(gcMsWithin({ start: at - 100, end: at }, observer.pauses())).toBeUndefined();
  observer.arm();
  expect(gcMsWithin({ start: at - 100_000, end: at + 10 }, observer.pauses())).toBeUndefined();
  observer.disarm();
});

test('disarming forgets the pauses, and arming twice does not throw', async () => {
  const { observer, start } = observed(collect);
  await settle();
  observer.arm();
  observer.disarm();
  observer.disarm();
  expect(observer.isArmed).toBe(false);
  observer.arm();
  expect(gcMsWithin({ start, end: now() + 60_000 }, observer.pauses())).toBe(0);
  observer.disarm();
});

test('pauses beyond the limit are not stored', async () => {
  const { observer } = observed(() => {
    for (let i = 0; i < MAX_PAUSES; i++) collect();
  });
  await settle();
  const start = now();
  for (let i = 0; i < 5; i++) collect();
  await settle();
  const pauseMs = gcMsWithin({ start, end: now() }, observer.pauses());
  observer.disarm();
  expect(pauseMs).toBe(0);
});

test('nothing is observed while the application has replaced the iterator of arrays, which Node.js would call', () => {
  const original = Object.getOwnPropertyDescriptor(Array.prototype, Symbol.iterator)!;
  const observer = new GcObserver(now);
  try {
    Object.defineProperty(Array.prototype, Symbol.iterator, { ...original, value: () => ({}) });
    observer.arm();
  } finally {
    Object.defineProperty(Array.prototype, Symbol.iterator, original);
  }
  expect(observer.isArmed).toBe(false);
  observer.arm();
  expect(observer.isArmed).toBe(true);
  observer.disarm();
});
