import { expect, test } from '@jest/globals';
import timers from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { gcMsWithin } from '../../../src/blocks/block-times.js';
import { GcObserver, MAX_PAUSES } from '../../../src/probe/gc-observer.js';

// Takes effect for code that is compiled from here on.
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;

const now = performance.now.bind(performance);

/** Young objects only: in a large heap, a whole collection takes a second. */
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

/** Node hands out what it has observed in a turn of its own. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await timers.setTimeout(5);
}

test('collections in the stretch count', async () => {
  const { observer, start, end } = observed(() => {
    for (let i = 0; i < 5; i++) collect();
  });
  await settle();
  const pauseMs = gcMsWithin({ start, end }, observer.pauses());
  observer.disarm();
  expect(pauseMs).toBeGreaterThan(0);
  expect(pauseMs).toBeLessThanOrEqual(end - start);
});

test('collections after the stretch do not count', async () => {
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

test('asked twice, it tells the same', async () => {
  const { observer, start, end } = observed(collect);
  await settle();
  const first = gcMsWithin({ start, end }, observer.pauses());
  const second = gcMsWithin({ start, end }, observer.pauses());
  observer.disarm();
  expect(second).toBe(first);
});

test('is unknown when nobody watched, or less than half of the stretch', () => {
  const observer = new GcObserver(now);
  const at = now();
  expect(gcMsWithin({ start: at - 100, end: at }, observer.pauses())).toBeUndefined();
  observer.arm();
  expect(gcMsWithin({ start: at - 100_000, end: at + 10 }, observer.pauses())).toBeUndefined();
  observer.disarm();
});

test('what was seen is forgotten when it is disarmed, and arming twice is no error', async () => {
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

test('a block of many collections takes no more memory than one of thousands', async () => {
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
