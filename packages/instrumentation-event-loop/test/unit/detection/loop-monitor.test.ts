import { beforeEach, describe, expect, test } from '@jest/globals';
import { LoopMonitor, type LoopMonitorOptions } from '../../../src/detection/loop-monitor.js';
import { Registry, SlotTime, type Slot } from '../../../src/detection/registry.js';
import type { ThreadTimes } from '../../../src/model.js';
import { FakeTimers } from '../support/fake-timers.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

let loop: SimulatedLoop;
let timers: FakeTimers;
let slot: Slot;
let isUp: boolean;
let times: ThreadTimes | undefined;
let log: unknown[][];
let options: LoopMonitorOptions;
let monitor: LoopMonitor;

beforeEach(() => {
  loop = new SimulatedLoop();
  timers = new FakeTimers();
  slot = new Registry().claim(0, 'main')!;
  isUp = true;
  times = undefined;
  log = [];
  options = {
    clock: loop,
    timers: timers.asRootTimers,
    slot,
    readThreadTimes: () => times,
    isApplicationUp: () => isUp,
    mayRest: () => false,
    observer: {
      onBeat: (runStart) => log.push(['beat', runStart]),
      onApplicationUp: () => log.push(['up']),
      onRun: (start, end, isLoading) => log.push(['run', start, end, isLoading]),
      onLag: (lagMs, intervalMs, at) => log.push(['lag', lagMs, intervalMs, at]),
      onError: (error) => log.push(['error', error]),
    },
  };
  monitor = new LoopMonitor(options);
});

function told(kind: string): unknown[][] {
  return log.filter(([what]) => what === kind).map(([, ...rest]) => rest);
}

/** One turn of the loop: timers, poll, check. */
function turn({ timersMs = 0, isBeatDue = true, idleMs = 0, pollMs = 0 } = {}): void {
  loop.run(timersMs);
  if (isBeatDue) timers.runIntervals();
  loop.idle(idleMs);
  loop.run(pollMs);
  timers.runImmediates();
}

/** Up and running, with an empty log. */
function settle(): void {
  monitor.start(50); // beats every 25 ms
  turn({ isBeatDue: false });
  turn({ idleMs: 25 });
  log.length = 0;
}

describe('at start', () => {
  test('what ran before the first turn is start-up and no block', () => {
    monitor.start(100);
    loop.run(5000);
    turn();
    turn();
    expect(told('run')).toEqual([]);
  });

  test('a heartbeat before the first turn tells nothing', () => {
    monitor.start(100);
    loop.run(500);
    timers.runIntervals();
    expect(log).toEqual([]);
  });

  test('the first turn is a beat, and puts the thread before the watchdog', () => {
    monitor.start(100);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
    turn({ isBeatDue: false });
    expect(told('beat')).toEqual([[1000]]);
    expect(slot.getTime(SlotTime.tickAt)).toBe(monitor.toShared(1000));
  });

  test('nothing is told of the loop while the application is still loaded, but its runs, marked as such', () => {
    isUp = false;
    settle();
    turn({ pollMs: 300 });
    expect(told('lag')).toEqual([]);
    expect(told('run')).toEqual([[1025, 1325, true]]);
    isUp = true;
    turn({ pollMs: 300 }); // began before it was known to be up
    turn({ pollMs: 300 });
    expect(told('run').map(([, , isLoading]) => isLoading)).toEqual([true, true, false]);
    expect(told('up')).toEqual([[]]);
  });
});

describe('while it runs', () => {
  test('a block in a timer is told with its start and end', () => {
    settle();
    turn({ timersMs: 250, idleMs: 20 });
    expect(told('run')).toEqual([[1025, 1275, false]]);
  });

  test('a block in an I/O callback is told with its start and end', () => {
    settle();
    turn({ idleMs: 20, pollMs: 400 });
    expect(told('run')).toEqual([[1045, 1445, false]]);
  });

  test('the thread arms one immediate and one interval, however many turns go by', () => {
    settle();
    for (let i = 0; i < 20; i++) turn();
    expect(timers.immediates).toBe(1);
    expect(timers.intervals).toEqual([25]);
  });

  test('the slot follows every turn', () => {
    settle();
    turn({ idleMs: 10, isBeatDue: false });
    expect(slot.getTime(SlotTime.tickAt)).toBe(monitor.toShared(1035));
  });

  test('a heartbeat in time is a lag of nothing', () => {
    settle(); // the last beat was 25 ms ago
    timers.runIntervals();
    expect(told('lag')).toEqual([[0, 25, 1025]]);
  });

  test('a heartbeat that came early does not count as a negative lag', () => {
    settle();
    timers.runIntervals();
    log.length = 0;
    loop.idle(20);
    timers.runIntervals();
    expect(told('lag')).toEqual([[0, 25, 1045]]);
  });

  test('a heartbeat behind a block is as late as the block kept it', () => {
    settle();
    loop.run(3025);
    timers.runIntervals();
    expect(told('lag').map(([lagMs]) => lagMs)).toEqual([3025]);
  });

  test('the idle poll in which the loop waits for the heartbeat is no lag', () => {
    settle();
    timers.runIntervals();
    log.length = 0;
    loop.idle(25);
    timers.runIntervals();
    expect(told('lag').map(([lagMs]) => lagMs)).toEqual([0]);
  });

  test('a beat tells from when on the run lasts that is under way', () => {
    settle();
    loop.idle(25);
    loop.run(3);
    timers.runIntervals();
    expect(told('beat')).toEqual([[1050]]);
  });
});

describe('where thousands of turns go by', () => {
  /** So many small turns, without a timer that is due. */
  function smallTurns(count: number): void {
    for (let i = 0; i < count; i++) turn({ isBeatDue: false, pollMs: 0.05 });
  }

  /** Ticks are timed. */
  function hurry(): void {
    settle();
    smallTurns(300);
    expect([timers.immediates, timers.intervals]).toEqual([0, [25, 2]]);
    timers.runIntervals();
    log.length = 0;
  }

  test('a tick is timed, and the slot follows it', () => {
    hurry();
    loop.run(1);
    timers.runIntervals();
    expect(slot.getTime(SlotTime.tickAt)).toBe(monitor.toShared(loop.now()));
    expect(timers.immediates).toBe(0);
  });

  test('a block is told as begun in the middle between two ticks', () => {
    hurry();
    const from = loop.now();
    loop.run(0.8);
    loop.run(300);
    timers.runIntervals();
    smallTurns(20);
    timers.runIntervals();
    expect(told('run')).toEqual([[from + 1, from + 300.8, false]]);
  });

  test('turns that are short each are no block together', () => {
    hurry();
    for (let i = 0; i < 300; i++) {
      loop.run(1.5);
      timers.runIntervals();
    }
    expect(told('run')).toEqual([]);
  });

  test('a loop that falls idle ticks in each turn again', () => {
    hurry();
    for (let i = 0; i < 64; i++) {
      loop.idle(1.1);
      timers.runIntervals();
    }
    expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
    turn({ idleMs: 20, pollMs: 400, isBeatDue: false });
    expect(told('run')).toHaveLength(1);
  });

  test('a threshold so low that two milliseconds matter keeps the tick in each turn', () => {
    hurry();
    monitor.start(20);
    timers.runIntervals();
    smallTurns(300);
    expect([timers.immediates, timers.intervals]).toEqual([1, [10]]);
  });

  test('another threshold holds at once, and no second tick is armed', () => {
    hurry();
    monitor.start(400);
    expect([timers.immediates, timers.intervals.includes(2)]).toEqual([0, true]);
    loop.run(300);
    timers.runIntervals();
    expect(told('run')).toEqual([]);
  });

  test('stopping leaves no timer, and a new start ticks in each turn', () => {
    hurry();
    monitor.stop();
    expect(timers.armed.size).toBe(0);
    monitor.start(50);
    expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
  });
});

describe('options that change', () => {
  test('another threshold holds from the next turn on', () => {
    settle();
    monitor.start(400);
    turn({ pollMs: 300 });
    expect(told('run')).toEqual([]);
    turn({ pollMs: 500 });
    expect(told('run')).toEqual([[1325, 1825, false]]);
  });

  test('the heartbeat follows the threshold, and is not doubled', () => {
    settle();
    monitor.start(20);
    expect(timers.intervals).toEqual([10]);
    expect(timers.immediates).toBe(1);
  });

  test('the time until the heartbeat was re-armed is no lag', () => {
    settle();
    loop.run(1000);
    monitor.start(20);
    loop.idle(10);
    timers.runIntervals();
    expect(told('lag')).toEqual([[0, 10, 2035]]);
  });
});

describe('what is thrown by those it tells', () => {
  const error = new Error('a replaced built-in was called');
  const refuse = (): never => {
    throw error;
  };

  test.each(['onRun', 'onBeat', 'onLag', 'onApplicationUp'] as const)('in %s is caught, and it goes on', (name) => {
    isUp = name !== 'onApplicationUp';
    Object.assign(options.observer, { [name]: refuse });
    settle();
    isUp = true;
    turn({ timersMs: 100 });
    expect(told('error')).toContainEqual([error]);
    Object.assign(options.observer, { [name]: () => undefined });
    log.length = 0;
    turn({ timersMs: 60 });
    expect(told('error')).toEqual([]);
    expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
  });

  test('of a run costs that run and none of the next', () => {
    settle();
    Object.assign(options.observer, { onRun: refuse });
    turn({ timersMs: 100 });
    Object.assign(options.observer, { onRun: (...run: unknown[]) => log.push(['run', ...run]) });
    turn({ idleMs: 25 });
    turn({ timersMs: 70, isBeatDue: false });
    expect(told('run').map(([start, end]) => Number(end) - Number(start))).toEqual([70]);
  });
});

describe('at its end', () => {
  test('stopping leaves no timer, and the watchdog looks elsewhere', () => {
    settle();
    monitor.stop();
    expect(timers.armed.size).toBe(0);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
  });

  test('stopping twice is no error', () => {
    settle();
    monitor.stop();
    monitor.stop();
    expect(timers.armed.size).toBe(0);
  });

  test('the block in which the process exits is told', () => {
    settle();
    loop.run(700);
    monitor.flush();
    expect(told('run')).toEqual([[1025, 1725, false]]);
  });

  test('a process that exits before its loop has turned has no block', () => {
    monitor.start(100);
    loop.run(700);
    monitor.flush();
    expect(log).toEqual([]);
  });
});

describe('readings', () => {
  test('those around a block are the last before it and the first after it', () => {
    settle();
    turn({ idleMs: 500 });
    times = { cpuMs: 10, runQueueMs: 1 };
    turn({ idleMs: 5 });
    times = { cpuMs: 310, runQueueMs: 2 };
    loop.run(300);
    timers.runIntervals();
    const { before, after } = monitor.readingsAround(1530, 1830);
    expect(before).toEqual({ at: 1525, idleTime: 925, times: { cpuMs: 10, runQueueMs: 1 } });
    expect(after).toEqual({ at: 1830, idleTime: 930, times: { cpuMs: 310, runQueueMs: 2 } });
  });

  test('where none was taken after the block yet, one is taken now', () => {
    settle();
    loop.run(300);
    times = { cpuMs: 99, runQueueMs: undefined };
    expect(monitor.readingsAround(1025, 1325).after).toEqual({ at: 1325, idleTime: 425, times });
  });

  test('are taken now and then while all is well: the scheduler is asked a few times a second at the most', () => {
    settle();
    let reads = 0;
    Object.defineProperty(options, 'readThreadTimes', {
      value: () => {
        reads++;
        return undefined;
      },
    });
    for (let i = 0; i < 40; i++) turn({ idleMs: 25 });
    expect(reads).toBeLessThanOrEqual(6);
    expect(reads).toBeGreaterThanOrEqual(3);
  });

  test('a block of before the readings that are kept has none before it', () => {
    settle();
    for (let i = 0; i < 50; i++) turn({ idleMs: 25 });
    expect(monitor.readingsAround(900, 950).before).toBeUndefined();
  });
});

test('the two time lines are a constant apart', () => {
  expect(monitor.fromShared(monitor.toShared(1234.5))).toBeCloseTo(1234.5, 3);
});

test('each of the two functions that the loop calls is marked as ours once', () => {
  settle();
  let marks = 0;
  monitor.markOwnFunctions(() => marks++);
  for (let i = 0; i < 5; i++) turn();
  expect(marks).toBe(2);
});

describe('the run under way', () => {
  test('lasts from the end of the turn before until now', () => {
    settle();
    loop.run(250);
    expect(monitor.currentRun()).toEqual({ start: 1025, end: 1275 });
  });

  test('begins after the idle poll', () => {
    settle();
    loop.idle(40);
    loop.run(250);
    expect(monitor.currentRun()).toEqual({ start: 1065, end: 1315 });
  });

  test('may be late from the length on that was asked for', () => {
    settle();
    expect(monitor.isLate(1025 + 99, 100)).toBe(false);
    expect(monitor.isLate(1025 + 100, 100)).toBe(true);
  });

  test('is never late before the first turn', () => {
    monitor.start(100);
    expect(monitor.isLate(99_999, 100)).toBe(false);
  });
});
