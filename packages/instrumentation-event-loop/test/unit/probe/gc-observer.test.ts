import { expect, test } from '@jest/globals';
import timers from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { GcObserver, MAX_PAUSES } from '../../../src/probe/gc-observer.js';

// Takes effect for code that is compiled from here on.
v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;

const now = performance.now.bind(performance);

/** Young objects only: in a large heap, a whole collection takes a second. */
function collect(): void {
  gc({ type: 'minor' });
}

function watched(work: () => void): { watch: GcObserver; start: number; end: number } {
  const watch = new GcObserver(now);
  const start = now();
  watch.arm();
  work();
  return { watch, start, end: now() };
}

/** Node hands out what it has observed in a turn of its own. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await timers.setTimeout(5);
}

test('collections in the stretch count', async () => {
  const { watch, start, end } = watched(() => {
    for (let i = 0; i < 5; i++) collect();
  });
  await settle();
  const pauseMs = watch.pauseMs({ start, end });
  watch.disarm();
  expect(pauseMs).toBeGreaterThan(0);
  expect(pauseMs).toBeLessThanOrEqual(end - start);
});

test('collections after the stretch do not count', async () => {
  const { watch, start, end } = watched(() => undefined);
  for (let i = 0; i < 5; i++) collect();
  await settle();
  const [within, withThem] = [watch.pauseMs({ start, end }), watch.pauseMs({ start, end: now() })];
  watch.disarm();
  expect(withThem).toBeGreaterThan(within!);
});

test('asked twice, it tells the same', async () => {
  const { watch, start, end } = watched(collect);
  await settle();
  const first = watch.pauseMs({ start, end });
  const second = watch.pauseMs({ start, end });
  watch.disarm();
  expect(second).toBe(first);
});

test('is unknown when nobody watched, or less than half of the stretch', () => {
  const watch = new GcObserver(now);
  const at = now();
  expect(watch.pauseMs({ start: at - 100, end: at })).toBeUndefined();
  watch.arm();
  expect(watch.pauseMs({ start: at - 100_000, end: at + 10 })).toBeUndefined();
  watch.disarm();
});

test('what was seen is forgotten when it is disarmed, and arming twice is no error', async () => {
  const { watch, start } = watched(collect);
  await settle();
  watch.arm();
  watch.disarm();
  watch.disarm();
  expect(watch.isArmed).toBe(false);
  watch.arm();
  expect(watch.pauseMs({ start, end: now() + 60_000 })).toBe(0);
  watch.disarm();
});

test('a block of many collections takes no more memory than one of thousands', async () => {
  const { watch } = watched(() => {
    for (let i = 0; i < MAX_PAUSES; i++) collect();
  });
  await settle();
  const start = now();
  for (let i = 0; i < 5; i++) collect();
  await settle();
  const pauseMs = watch.pauseMs({ start, end: now() });
  watch.disarm();
  expect(pauseMs).toBe(0);
});
