import { beforeEach, describe, expect, test } from '@jest/globals';
import { Heartbeat } from '../../../src/detection/heartbeat.js';
import { Registry, IdleMode, SlotInt, type Slot } from '../../../src/contract/registry.js';
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

/** The loop sleeps, somebody wakes it and is busy, and the check phase comes. */
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

/** As long as it takes until it rests. */
function beatUntilIdle(): void {
  for (let i = 0; i < QUIET_MS / INTERVAL_MS; i++) beat();
}

/** As `beQuiet`, and forgets what was told until then. */
function enterIdleMode(): void {
  beatUntilIdle();
  expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  lags.length = 0;
}

const idleModeOfSlot = (): number => slot.getInt(SlotInt.rest);

describe('a heartbeat', () => {
  test('rests when it has been the only one to turn the loop for a while', () => {
    enterIdleMode();
    expect(idleModeOfSlot()).toBe(IdleMode.resting);
  });

  test('beats on until then: requests that follow one another find it beating', () => {
    beat();
    wake({ idleMs: 30 });
    beat();
    beat();
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    beat();
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('does not rest while others turn the loop', () => {
    for (let i = 0; i < 50; i++) {
      wake({ idleMs: 20 });
      wake({ idleMs: 30 });
      timers.runIntervals();
    }
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });

  test('does not rest right after a block, nor take its lag for that of the idle loop', () => {
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

  test('says that it would rest, and waits until it may', () => {
    mayEnterIdleMode = false;
    beatUntilIdle();
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.wanted);
    mayEnterIdleMode = true;
    beat();
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('would rest no more when somebody turns the loop', () => {
    mayEnterIdleMode = false;
    beatUntilIdle();
    wake({ idleMs: 10 });
    beat();
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });
});

describe('at rest', () => {
  test('the turns that it makes itself do not wake it', () => {
    enterIdleMode();
    for (let i = 0; i < 5; i++) {
      beat();
      wake(); // the turn it asked for
    }
    expect(timers.intervals).toEqual([IDLE_INTERVAL_MS]);
  });

  test('it asks for one turn after each beat, so that timers after it are bounded', () => {
    enterIdleMode();
    expect(timers.iterationsRequested).toBe(0);
    beat();
    expect(timers.iterationsRequested).toBe(1);
  });

  test('any other turn wakes it before the timers phase', () => {
    enterIdleMode();
    wake({ idleMs: 400 });
    expect(timers.intervals).toEqual([INTERVAL_MS]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });

  test('the beats that it left out count as if they had been made', () => {
    enterIdleMode();
    beat();
    expect(lags).toEqual(Array.from({ length: IDLE_INTERVAL_MS / INTERVAL_MS }, () => 0));
  });

  test('the beat that would have come within the block that woke the loop counts as late as that', () => {
    enterIdleMode();
    wake({ idleMs: 430, busyMs: 300 });
    // Eight in time, and the one that was due 20 ms into the block.
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 280]);
  });

  test('a block that ends before the next beat was due delays none', () => {
    enterIdleMode();
    wake({ idleMs: 410, busyMs: 30 });
    expect(lags.every((lagMs) => lagMs === 0)).toBe(true);
  });

  test('a wake-up that comes late is what the left out beats are told with', () => {
    enterIdleMode();
    wake({ idleMs: IDLE_INTERVAL_MS + 3 });
    expect(new Set(lags)).toEqual(new Set([3]));
    expect(lags).toHaveLength(IDLE_INTERVAL_MS / INTERVAL_MS);
  });

  test('a process that was suspended has one late beat, as if it had not been at rest', () => {
    enterIdleMode();
    wake({ idleMs: 60_000 });
    expect(lags).toEqual([...Array.from({ length: 20 }, () => 0), 60_000 - IDLE_INTERVAL_MS - INTERVAL_MS]);
    timers.runIntervals();
    wake();
    expect(lags).toHaveLength(21);
  });

  test('after it was woken the next beat is one of many', () => {
    enterIdleMode();
    wake({ idleMs: 400 });
    lags.length = 0;
    beat();
    expect(lags).toEqual([0]);
    loop.run(500);
    timers.runIntervals();
    expect(lags).toEqual([0, 450]);
  });

  test('what it left out is told when that is asked for, and not again by the next turn', () => {
    enterIdleMode();
    loop.idle(430);
    heartbeat.flush(loop.now());
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    wake({ idleMs: 30 });
    expect(lags).toHaveLength(9);
  });

  test('what a block delays that is under way is left to the turn that ends it', () => {
    enterIdleMode();
    loop.idle(430);
    const busySince = loop.now();
    loop.run(300);
    heartbeat.flush(busySince);
    expect(lags).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    heartbeat.onIteration(busySince, loop.now());
    expect(lags.slice(8)).toEqual([280]);
  });

  test('another interval wakes it', () => {
    enterIdleMode();
    heartbeat.start(10);
    expect(timers.intervals).toEqual([10]);
    expect(idleModeOfSlot()).toBe(IdleMode.none);
  });
});

test('what is thrown by those it tells goes to the one who takes errors, and it goes on', () => {
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

test('stopped, it leaves no timer and no word', () => {
  enterIdleMode();
  heartbeat.stop();
  expect(timers.intervals).toEqual([]);
  expect(idleModeOfSlot()).toBe(IdleMode.none);
  expect(beats).toBeGreaterThan(0);
});
