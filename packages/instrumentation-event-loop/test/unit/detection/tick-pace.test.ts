import { expect, test } from '@jest/globals';
import { TickPace } from '../../../src/detection/tick-pace.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

const loop = new SimulatedLoop();
let pace = new TickPace();

/** Makes `count` ticks, each after the given idle and busy time; returns whether the next is to be timed. */
function tick(count: number, idleMs: number, busyMs: number): boolean {
  let isTimed = false;
  for (let i = 0; i < count; i++) {
    loop.idle(idleMs);
    loop.run(busyMs);
    isTimed = pace.isTimedAfter(loop.now(), loop.idleTime());
  }
  return isTimed;
}

/** Replaces the pace with one whose ticks are timed. */
function makeTimed(): void {
  pace = new TickPace();
  expect(tick(200, 0, 0.05)).toBe(true);
}

test.each([
  ['an idle loop', 50, 0.1],
  ['a loop with requests of a few iterations', 0.9, 0.1],
  ['a loop of long iterations', 0, 10],
  ['a loop with iterations of a quarter of a millisecond', 0, 0.25],
])('%s ticks in each iteration', (_, idleMs, busyMs) => {
  pace = new TickPace();
  expect(tick(1000, idleMs, busyMs)).toBe(false);
});

test('ticks become timed after many short iterations, but not in a single request', () => {
  pace = new TickPace();
  expect(tick(100, 0, 0.05)).toBe(false);
  expect(tick(1, 500, 0.05)).toBe(false);
  expect(tick(100, 0, 0.05)).toBe(false);
  expect(tick(100, 0, 0.05)).toBe(true);
});

test('ticks stay timed while the loop works, also with pauses', () => {
  makeTimed();
  for (let i = 0; i < 100; i++) {
    expect(tick(5, 0, 1.2)).toBe(true);
    expect(tick(5, 1.2, 0.01)).toBe(true);
  }
});

test('ticks are no longer timed when less than a fifth of them find work', () => {
  makeTimed();
  expect(tick(64, 1.2, 0.01)).toBe(false);
  makeTimed();
  let isTimed = true;
  for (let i = 0; i < 20 && isTimed; i++) isTimed = tick(1, 0, 1.2) && tick(9, 1.2, 0.01);
  expect(isTimed).toBe(false);
});

test('a reset returns to a tick in each iteration', () => {
  makeTimed();
  pace.reset();
  expect(tick(100, 0, 0.05)).toBe(false);
});
