import { beforeEach, describe, expect, test } from '@jest/globals';
import { Heartbeat } from '../../../src/detection/heartbeat.js';
import { IdleMode, SlotInt } from '../../../src/contract/registry-layout.js';
import { Registry } from '../../../src/contract/registry.js';
import type { Slot } from '../../../src/contract/slots.js';
import { FakeTimers } from '../support/fake-timers.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

const INTERVAL_MS = 50;
const QUIET_MS = 100;
const IDLE_INTERVAL_MS = 1000;

let loop: SimulatedLoop;
let timers: FakeTimers;
let slot: Slot;
let mayEnterIdleMode: boolean;
let lags: number[];
let errors: unknown[];
let beats: number;
let heartbeat: Heartbeat;

beforeEach(() => {
  loop = new SimulatedLoop();
  timers = new FakeTimers();
  slot = new Registry().claim(0, 'main')!;
  mayEnterIdleMode = true;
  lags = [];
  errors = [];
  beats = 0;
  heartbeat = new Heartbeat({
    now: loop.now,
    timers: timers.asRootTimers,
    slot,
    mayEnterIdleMode: () => mayEnterIdleMode,
    onBeat: () => {
      beats++;
    },
    onLag: (lagMs) => void lags.push(lagMs),
    onError: (error) => void errors.push(error),
  });
  heartbeat.start(INTERVAL_MS);
});

/** The loop sleeps, an event wakes it and keeps it busy, and the check phase follows. */
function wake({ idleMs = 0, busyMs = 0 } = {}): void {
  loop.idle(idleMs);
  const busySince = loop.now();
  loop.run(busyMs);
  heartbeat.onIteration(busySince, loop.now());
}

/** The loop sleeps until the heartbeat wakes it. */
function beat(): void {
  const [intervalMs] = timers.intervals;
  wake({ idleMs: intervalMs });
  timers.runIntervals();
}

/** Beats as often as it takes to enter idle mode. */
function beatUntilIdle(): void {
  for (let i = 0; i < QUIET_MS / INTERVAL_MS; i++) beat();
}

/** Enters idle mode, and forgets the lags until then. */
function enterIdleMode(): void {
  beatUntilIdle();
  expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  lags.length = 0;
}

const idleModeOfSlot = (): number => slot.getInt(SlotInt.idleMode);

describe('a heartbeat', () => {
  test('enters idle mode when for a while only the heartbeat has woken the loop', () => {
    enterIdleMode();
    expect(idleModeOfSlot()).toBe(IdleMode.active);
  });

  test('keeps its interval until then, also while requests come one after another', () => {
    beat();
    wake({ idleMs: 30 });
    beat();
    beat();
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    beat();
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('does not enter idle mode while other events wake the loop', () => {
    for (let i = 0; i < 50; i++) {
      wake({ idleMs: 20 });
      wake({ idleMs: 30 });
      timers.runIntervals();
    }
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });

  test('does not enter idle mode right after a block, nor use the lag of the block for the idle loop', () => {
    enterIdleMode();
    wake({ idleMs: 400 });
    loop.run(2000); // a timer's callback
    timers.runIntervals();
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(lags.slice(8)).toEqual([1950]);
    enterIdleMode();
    beat();
    expect(new Set(lags)).toEqual(new Set([0]));
  });

  test('requests idle mode, and waits until it may enter it', () => {
    mayEnterIdleMode = false;
    beatUntilIdle();
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.wanted);
    mayEnterIdleMode = true;
    beat();
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('withdraws the request for idle mode when another event wakes the loop', () => {
    mayEnterIdleMode = false;
    beatUntilIdle();
    wake({ idleMs: 10 });
    beat();
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });
});

describe('in idle mode', () => {
  test('iterations of the heartbeat itself do not end idle mode', () => {
    enterIdleMode();
    for (let i = 0; i < 5; i++) {
      beat();
      wake(); // the requested iteration
    }
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('the heartbeat requests one iteration after each beat, so that the delay of timers after it is bounded', () => {
    enterIdleMode();
    expect(timers.iterationsRequested).toBe(0);
    beat();
    expect(timers.iterationsRequested).toBe(1);
  });

  test('any other iteration ends idle mode before the timers phase', () => {
    enterIdleMode();
    wake({ idleMs: 400 });
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });

  test('skipped beats are reported as if they had been made', () => {
    enterIdleMode();
    beat();
    expect(lags).toEqual(Array.from({ length: IDLE_INTERVAL_MS / INTERVAL_MS }, () => 0));
  });

  test('a skipped beat within the block that woke the loop has the lag of that block', () => {
    enterIdleMode();
    wake({ idleMs: 430, busyMs: 300 });
    // Eight in time, and the one that was due 20 ms into the block.
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 280]);
  });

  test('a block that ends before the next skipped beat was due delays no beat', () => {
    enterIdleMode();
    wake({ idleMs: 410, busyMs: 30 });
    expect(lags.every((lagMs) => lagMs === 0)).toBe(true);
  });

  test('the lag of a late wake-up is reported for all skipped beats', () => {
    enterIdleMode();
    wake({ idleMs: IDLE_INTERVAL_MS + 3 });
    expect(new Set(lags)).toEqual(new Set([3]));
    expect(lags).toHaveLength(IDLE_INTERVAL_MS / INTERVAL_MS);
  });

  test('a suspended process has one late beat, as without idle mode', () => {
    enterIdleMode();
    wake({ idleMs: 60_000 });
    expect(lags).toEqual([...Array.from({ length: 20 }, () => 0), 60_000 - IDLE_INTERVAL_MS - INTERVAL_MS]);
    timers.runIntervals();
    wake();
    expect(lags).toHaveLength(21);
  });

  test('the first beat after idle mode is a normal beat', () => {
    enterIdleMode();
    wake({ idleMs: 400 });
    lags.length = 0;
    beat();
    expect(lags).toEqual([0]);
    loop.run(500);
    timers.runIntervals();
    expect(lags).toEqual([0, 450]);
  });

  test('a flush reports the skipped beats, and the next iteration does not report them again', () => {
    enterIdleMode();
    loop.idle(430);
    heartbeat.flush(loop.now(), loop.now());
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    wake({ idleMs: 30 });
    expect(lags).toHaveLength(9);
  });

  test('a flush at the end of a block reports the beat that the block has delayed, once', () => {
    enterIdleMode();
    loop.idle(430);
    const busySince = loop.now();
    loop.run(300);
    heartbeat.flush(busySince, loop.now());
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 280]);
    heartbeat.onIteration(busySince, loop.now());
    expect(lags).toHaveLength(9);
  });

  test('another interval ends idle mode', () => {
    enterIdleMode();
    heartbeat.start(10);
    expect(timers.intervals).toEqual([10]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });
});

describe('a heartbeat of a thread that ends', () => {
  test('reports the beat that a block delays, once', () => {
    beat();
    lags.length = 0;
    loop.idle(10);
    const busySince = loop.now();
    loop.run(400);
    heartbeat.flush(busySince, loop.now());
    heartbeat.flush(busySince, loop.now());
    timers.runIntervals();
    expect(lags).toEqual([360, 0]);
  });

  test('reports no beat that is not due, and none before the thread is busy', () => {
    beat();
    lags.length = 0;
    loop.run(30);
    heartbeat.flush(loop.now() - 30, loop.now());
    expect(lags).toEqual([]);
    loop.run(5000); // asleep in one iteration, as a pool worker
    loop.run(70);
    heartbeat.flush(loop.now() - 70, loop.now());
    expect(lags).toEqual([70]);
  });

  test('reports nothing after it was stopped', () => {
    heartbeat.stop();
    loop.run(400);
    heartbeat.flush(0, loop.now());
    expect(lags).toEqual([]);
  });
});

test('an error of onBeat goes to onError, and the heartbeat continues', () => {
  const thrown = new Error('a replaced built-in was called');
  const failing = new Heartbeat({
    now: loop.now,
    timers: timers.asRootTimers,
    slot,
    mayEnterIdleMode: () => true,
    onBeat: () => {
      throw thrown;
    },
    onLag: () => undefined,
    onError: (error) => void errors.push(error),
  });
  heartbeat.stop();
  failing.start(INTERVAL_MS);
  beat();
  expect(errors).toEqual([thrown]);
  expect(timers.intervals).toEqual([INTERVAL_MS]);
});

test('a stopped heartbeat leaves no timer and no idle mode in the slot', () => {
  enterIdleMode();
  heartbeat.stop();
  expect(timers.intervals).toEqual([]);
  expect(idleModeOfSlot()).toBe(IdleMode.none);
  expect(beats).toBeGreaterThan(0);
});
