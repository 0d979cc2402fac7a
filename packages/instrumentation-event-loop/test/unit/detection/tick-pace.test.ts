import { expect, test } from '@jest/globals';
import { TickPace } from '../../../src/detection/tick-pace.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

const loop = new SimulatedLoop();
let pace = new TickPace();

/** So many ticks, each after that much idle and busy time, ms; returns whether the next is to be timed. */
function tick(count: number, idleMs: number, busyMs: number): boolean {
  let isTimed = false;
  for (let i = 0; i < count; i++) {
    loop.idle(idleMs);
    loop.run(busyMs);
    isTimed = pace.isTimedAfter(loop.now(), loop.idleTime());
  }
  return isTimed;
}

/** A pace that has become timed. */
function makeTimed(): void {
  pace = new TickPace();
  expect(tick(200, 0, 0.05)).toBe(true);
}

test.each([
  ['an idle loop', 50, 0.1],
  ['requests of a few turns', 0.9, 0.1],
  ['long turns', 0, 10],
  ['turns of a quarter of a millisecond', 0, 0.25],
])('%s ticks in each turn', (_, idleMs, busyMs) => {
  pace = new TickPace();
  expect(tick(1000, idleMs, busyMs)).toBe(false);
});

test('ticks become makeTimed after many short iterations, but not in a single request', () => {
  pace = new TickPace();
  expect(tick(100, 0, 0.05)).toBe(false);
  expect(tick(1, 500, 0.05)).toBe(false);
  expect(tick(100, 0, 0.05)).toBe(false);
  expect(tick(100, 0, 0.05)).toBe(true);
});

test('ticks stay makeTimed while the loop works, also with pauses', () => {
  makeTimed();
  for (let i = 0; i < 100; i++) {
    expect(tick(5, 0, 1.2)).toBe(true);
    expect(tick(5, 1.2, 0.01)).toBe(true);
  }
});

test('ticks are no longer makeTimed when less than a fifth of them find work', () => {
  makeTimed();
  expect(tick(64, 1.2, 0.01)).toBe(false);
  makeTimed();
  let isTimed = true;
  for (let i = 0; i < 20 && isTimed; i++) isTimed = tick(1, 0, 1.2) && tick(9, 1.2, 0.01);
  expect(isTimed).toBe(false);
});

test('a reset begins with a tick in each turn', () => {
  makeTimed();
  pace.reset();
  expect(tick(100, 0, 0.05)).toBe(false);
});
