import { describe, expect, test } from '@jest/globals';
import { BusyPeriods } from '../../../src/detection/busy-periods.js';
import type { Interval } from '../../../src/contract/interval.js';
import { seededRandom } from '../support/random.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

const THRESHOLD_MS = 100;
const ITERATIONS = 2000;

interface Noise {
  readonly name: string;
  /** Chance of a callback that blocks, for each phase of an iteration. */
  readonly blockChance: number;
  /** Longest callback that does not block, ms. */
  readonly busyMs: number;
  /** Longest idle time, in ms, that does not separate two busy periods. */
  readonly flickerMs: number;
}

const NOISE: readonly Noise[] = [
  { name: 'a quiet loop', blockChance: 0.01, busyMs: 1, flickerMs: 0 },
  { name: 'a busy loop', blockChance: 0.05, busyMs: 30, flickerMs: 0.2 },
  { name: 'a loop full of blocks', blockChance: 0.5, busyMs: 35, flickerMs: 0.4 },
];

interface Outcome {
  readonly reported: Interval[];
  /** Longest intervals of an iteration without an idle poll longer than `flickerMs`. */
  readonly truth: Interval[];
}

/**
 * Iterations of `timers (heartbeat last) → poll (idle, then callbacks) → check (the tick first)`, whose busy periods
 * are known because the simulation makes them.
 */
function simulate(seed: number, noise: Noise, heartbeatMs = 0): Outcome {
  const random = seededRandom(seed);
  const loop = new SimulatedLoop(random() * 1e6, random() * 1e6);
  const reported: Interval[] = [];
  const truth: Interval[] = [];
  const periods = new BusyPeriods(loop, (start, end) => reported.push({ start, end }));
  periods.minMs = THRESHOLD_MS;
  let openSince = loop.now();
  let beatAt = openSince;
  const close = (): void => {
    if (loop.now() - openSince >= THRESHOLD_MS) truth.push({ start: openSince, end: loop.now() });
  };
  const callback = (): void => {
    // No callback near the threshold: the rounding of exactly 100 ms is not the subject here.
    loop.run(random() < noise.blockChance ? 150 + random() * 3000 : random() * noise.busyMs);
  };
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    callback(); // immediates after the tick of the iteration before, then timers
    if (loop.now() - beatAt >= heartbeatMs) {
      periods.heartbeat();
      beatAt = loop.now();
    }
    if (random() < 0.7) {
      close();
      loop.idle(1 + random() * 200);
      openSince = loop.now();
    } else if (noise.flickerMs > 0) loop.idle(random() * noise.flickerMs);
    callback(); // I/O
    periods.tick();
    close();
    openSince = loop.now();
  }
  return { reported, truth };
}

describe.each(NOISE)('in $name', (noise) => {
  test.each([1, 2, 3, 20261121])('every block is reported with its own start and end (seed %i)', (seed) => {
    const { reported, truth } = simulate(seed, noise);
    expect(truth.length).toBeGreaterThan(5);
    expect(reported).toHaveLength(truth.length);
    reported.forEach(({ start, end }, i) => {
      expect(Math.abs(start - truth[i]!.start)).toBeLessThanOrEqual(0.5);
      expect(Math.abs(end - truth[i]!.end)).toBeLessThanOrEqual(0.5);
    });
  });
});

test.each(NOISE)('with a heartbeat every 25 ms, the start of every block in $name is exact to 25 ms', (noise) => {
  const { reported, truth } = simulate(7, noise, 25);
  expect(reported).toHaveLength(truth.length);
  reported.forEach(({ start, end }, i) => {
    expect(Math.abs(start - truth[i]!.start)).toBeLessThanOrEqual(25 + 0.5);
    expect(Math.abs(end - truth[i]!.end)).toBeLessThanOrEqual(0.5);
  });
});

test('busy periods are in order and do not overlap', () => {
  const { reported } = simulate(11, NOISE[2]!);
  for (let i = 1; i < reported.length; i++) expect(reported[i]!.start).toBeGreaterThanOrEqual(reported[i - 1]!.end);
});
