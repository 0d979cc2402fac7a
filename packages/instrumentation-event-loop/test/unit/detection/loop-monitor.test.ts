import { beforeEach, describe, expect, test } from '@jest/globals';
import { fromShared, toShared } from '../../../src/contract/clock.js';
import { SlotTime } from '../../../src/contract/registry-layout.js';
import { MonitoredLoop } from '../support/monitored-loop.js';

let monitored: MonitoredLoop;
let { loop, timers, slot, log, options, monitor, reported, iterate, settle } = new MonitoredLoop();

beforeEach(() => {
  monitored = new MonitoredLoop();
  ({ loop, timers, slot, log, options, monitor, reported, iterate, settle } = monitored);
});

describe('at start', () => {
  test('code before the first iteration is start-up and no block', () => {
    monitor.start(100);
    loop.run(5000);
    iterate();
    iterate();
    expect(reported('period')).toEqual([]);
  });

  test('a heartbeat before the first iteration reports nothing', () => {
    monitor.start(100);
    loop.run(500);
    timers.runIntervals();
    expect(log).toEqual([]);
  });

  test('the first iteration is a beat, and shows the thread to the watchdog', () => {
    monitor.start(100);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
    iterate({ isBeatDue: false });
    expect(reported('beat')).toEqual([[1000]]);
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(1000));
  });

  test('during app start-up only busy periods are reported, marked as start-up', () => {
    monitored.isAppStarted = false;
    settle();
    iterate({ pollMs: 300 });
    expect(reported('lag')).toEqual([]);
    expect(reported('period')).toEqual([[1025, 1325, true]]);
    monitored.isAppStarted = true;
    iterate({ pollMs: 300 }); // began before the app was known to have started
    iterate({ pollMs: 300 });
    expect(reported('period').map(([, , isStartUp]) => isStartUp)).toEqual([true, true, false]);
    expect(reported('started')).toEqual([[]]);
  });
});

describe('while it runs', () => {
  test('a block in a timer is reported with its start and end', () => {
    settle();
    iterate({ timersMs: 250, idleMs: 20 });
    expect(reported('period')).toEqual([[1025, 1275, false]]);
  });

  test('a block in an I/O callback is reported with its start and end', () => {
    settle();
    iterate({ idleMs: 20, pollMs: 400 });
    expect(reported('period')).toEqual([[1045, 1445, false]]);
  });

  test('the thread arms one immediate and one interval, however many iterations pass', () => {
    settle();
    for (let i = 0; i < 20; i++) iterate();
    expect(timers.immediates).toBe(1);
    expect(timers.intervals).toEqual([25]);
  });

  test('every iteration is written to the slot', () => {
    settle();
    iterate({ idleMs: 10, isBeatDue: false });
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(1035));
  });

  test('a heartbeat in time is a lag of 0', () => {
    settle(); // the last beat was 25 ms ago
    timers.runIntervals();
    expect(reported('lag')).toEqual([[0, 25, 1025]]);
  });

  test('a heartbeat that comes early is a lag of 0', () => {
    settle();
    timers.runIntervals();
    log.length = 0;
    loop.idle(20);
    timers.runIntervals();
    expect(reported('lag')).toEqual([[0, 25, 1045]]);
  });

  test('the lag of a heartbeat after a block is its delay by the block', () => {
    settle();
    loop.run(3025);
    timers.runIntervals();
    expect(reported('lag').map(([lagMs]) => lagMs)).toEqual([3025]);
  });

  test('the idle poll in which the loop waits for the heartbeat is no lag', () => {
    settle();
    timers.runIntervals();
    log.length = 0;
    loop.idle(25);
    timers.runIntervals();
    expect(reported('lag').map(([lagMs]) => lagMs)).toEqual([0]);
  });

  test('a beat reports the start of the current busy period', () => {
    settle();
    loop.idle(25);
    loop.run(3);
    timers.runIntervals();
    expect(reported('beat')).toEqual([[1050]]);
  });
});

describe('when options change', () => {
  test('another threshold is used from the next iteration on', () => {
    settle();
    monitor.start(400);
    iterate({ pollMs: 300 });
    expect(reported('period')).toEqual([]);
    iterate({ pollMs: 500 });
    expect(reported('period')).toEqual([[1325, 1825, false]]);
  });

  test('the heartbeat interval changes with the threshold, and no second heartbeat is armed', () => {
    settle();
    monitor.start(20);
    expect(timers.intervals).toEqual([10]);
    expect(timers.immediates).toBe(1);
  });

  test('the time until the heartbeat is re-armed is no lag', () => {
    settle();
    loop.run(1000);
    monitor.start(20);
    loop.idle(10);
    timers.runIntervals();
    expect(reported('lag')).toEqual([[0, 10, 2035]]);
  });
});

describe('when the observer throws', () => {
  const error = new Error('a replaced built-in was called');
  const throwError = (): never => {
    throw error;
  };

  test.each(['onBusyPeriod', 'onBeat', 'onLag', 'onAppStarted'] as const)(
    'an error of %s is reported, and the monitor continues',
    (name) => {
      monitored.isAppStarted = name !== 'onAppStarted';
      Object.assign(options.observer, { [name]: throwError });
      settle();
      monitored.isAppStarted = true;
      iterate({ timersMs: 100 });
      expect(reported('error')).toContainEqual([error]);
      Object.assign(options.observer, { [name]: () => undefined });
      log.length = 0;
      iterate({ timersMs: 60 });
      expect(reported('error')).toEqual([]);
      expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
    },
  );

  test('an error of onBusyPeriod loses that busy period and no later one', () => {
    settle();
    Object.assign(options.observer, { onBusyPeriod: throwError });
    iterate({ timersMs: 100 });
    Object.assign(options.observer, { onBusyPeriod: (...period: unknown[]) => log.push(['period', ...period]) });
    iterate({ idleMs: 25 });
    iterate({ timersMs: 70, isBeatDue: false });
    expect(reported('period').map(([start, end]) => Number(end) - Number(start))).toEqual([70]);
  });
});

describe('at its end', () => {
  test('stopping leaves no timer, and the watchdog skips the slot', () => {
    settle();
    monitor.stop();
    expect(timers.armed.size).toBe(0);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
  });

  test('stopping twice does not throw', () => {
    settle();
    monitor.stop();
    monitor.stop();
    expect(timers.armed.size).toBe(0);
  });

  test('the block in which the process exits is reported', () => {
    settle();
    loop.run(700);
    monitor.flush();
    expect(reported('period')).toEqual([[1025, 1725, false]]);
  });

  test('a process that exits before its first iteration has no block', () => {
    monitor.start(100);
    loop.run(700);
    monitor.flush();
    expect(log).toEqual([]);
  });
});

describe('readings', () => {
  test('around a block are the last before it and the first after it', () => {
    settle();
    iterate({ idleMs: 500 });
    monitored.times = { cpuMs: 10, runQueueMs: 1 };
    iterate({ idleMs: 5 });
    monitored.times = { cpuMs: 310, runQueueMs: 2 };
    loop.run(300);
    timers.runIntervals();
    const { before, after } = monitor.readingsAround(1530, 1830);
    expect(before).toEqual({ at: 1525, idleTime: 925, times: { cpuMs: 10, runQueueMs: 1 } });
    expect(after).toEqual({ at: 1830, idleTime: 930, times: { cpuMs: 310, runQueueMs: 2 } });
  });

  test('after a block are taken now if there is none yet', () => {
    settle();
    loop.run(300);
    monitored.times = { cpuMs: 99, runQueueMs: undefined };
    expect(monitor.readingsAround(1025, 1325).after).toEqual({ at: 1325, idleTime: 425, times: monitored.times });
  });

  test('are taken a few times a second at most while nothing blocks', () => {
    settle();
    let reads = 0;
    Object.defineProperty(options, 'readThreadTimes', {
      value: () => {
        reads++;
        return undefined;
      },
    });
    for (let i = 0; i < 40; i++) iterate({ idleMs: 25 });
    expect(reads).toBeLessThanOrEqual(6);
    expect(reads).toBeGreaterThanOrEqual(3);
  });

  test('do not exist before a block that is older than all of them', () => {
    settle();
    for (let i = 0; i < 50; i++) iterate({ idleMs: 25 });
    expect(monitor.readingsAround(900, 950).before).toBeUndefined();
  });
});

test('the thread clock and the shared clock differ by a constant', () => {
  expect(fromShared(toShared(1234.5))).toBeCloseTo(1234.5, 3);
});

test("each of the two functions that the loop calls is marked once as the monitor's own", () => {
  settle();
  let marks = 0;
  monitor.markOwnFunctions(() => marks++);
  for (let i = 0; i < 5; i++) iterate();
  expect(marks).toBe(2);
});

describe('the current busy period', () => {
  test('lasts from the end of the iteration before until now', () => {
    settle();
    loop.run(250);
    expect(monitor.currentPeriod()).toEqual({ start: 1025, end: 1275 });
  });

  test('begins after the idle poll', () => {
    settle();
    loop.idle(40);
    loop.run(250);
    expect(monitor.currentPeriod()).toEqual({ start: 1065, end: 1315 });
  });

  test('is late from the given length on', () => {
    settle();
    expect(monitor.isLate(1025 + 99, 100)).toBe(false);
    expect(monitor.isLate(1025 + 100, 100)).toBe(true);
  });

  test('is never late before the first iteration', () => {
    monitor.start(100);
    expect(monitor.isLate(99_999, 100)).toBe(false);
  });
});
