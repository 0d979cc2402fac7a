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
  test('code before the entry point has been evaluated is start-up', () => {
    monitor.start(100);
    loop.run(5000);
    monitored.endEvaluation?.();
    expect(reported('period')).toEqual([[1000, 6000, 'likely']]);
    expect(reported('started')).toEqual([[]]);
  });

  test('the end of the evaluation is a beat, and shows the thread to the watchdog', () => {
    monitor.start(100);
    loop.run(700);
    expect(slot.getTime(SlotTime.tickAt)).toBe(0);
    monitored.endEvaluation?.();
    expect(reported('beat')).toEqual([[1700]]);
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(1700));
  });

  test('the first iteration is a beat as well, and no later one, until the heartbeat is due', () => {
    monitor.start(100);
    monitored.endEvaluation?.();
    iterate({ isBeatDue: false });
    expect(reported('beat')).toHaveLength(2);
    iterate({ isBeatDue: false });
    expect(reported('beat')).toHaveLength(2);
  });

  test('a timer that blocks in the first phase of the loop is a block, with its lag', () => {
    monitor.start(50);
    loop.run(3000);
    monitored.endEvaluation?.();
    loop.run(800);
    timers.runIntervals();
    timers.runImmediates();
    expect(reported('period')).toEqual([
      [1000, 4000, 'likely'],
      [4000, 4800, 'over'],
    ]);
    expect(reported('lag')).toEqual([[775, 25, 4800]]);
  });

  test('a message that blocks in the first iteration is a block', () => {
    monitor.start(100);
    loop.run(3000);
    monitored.endEvaluation?.();
    iterate({ isBeatDue: false, idleMs: 5, pollMs: 800 });
    expect(reported('period').at(-1)).toEqual([4005, 4805, 'over']);
  });

  test('a heartbeat before the end of the evaluation reports nothing', () => {
    monitor.start(100);
    loop.run(500);
    timers.runIntervals();
    expect(log).toEqual([]);
  });

  test('while the loop runs before the evaluation has ended, busy periods are marked', () => {
    monitored.isAppStarted = false;
    settle();
    iterate({ pollMs: 300 });
    expect(reported('lag')).toEqual([]);
    expect(reported('period')).toEqual([[1025, 1325, 'likely']]);
    monitored.isAppStarted = true;
    iterate({ pollMs: 300 }); // began before the application was seen
    iterate({ pollMs: 300 });
    loop.run(300);
    monitored.endEvaluation?.();
    iterate({ pollMs: 300 });
    expect(reported('period').map(([, , startUp]) => startUp)).toEqual([
      'likely',
      'likely',
      'possible',
      'possible',
      'over',
    ]);
    expect(reported('started')).toEqual([[]]);
  });

  test('a heartbeat keeps its lag when a top-level await ends', () => {
    monitored.isAppStarted = false;
    settle();
    monitored.isAppStarted = true;
    iterate({ idleMs: 25 });
    loop.run(400);
    monitored.endEvaluation?.();
    log.length = 0;
    timers.runIntervals();
    expect(reported('lag')).toEqual([[400, 25, 1450]]);
  });

  test('a thread that is stopped does not wait for its entry point any more', () => {
    monitor.start(100);
    monitor.stop();
    expect(monitored.endEvaluation).toBeUndefined();
  });

  test('a start-up that is watched shows the thread to the watchdog from the beginning', () => {
    monitor.start(100);
    monitor.watchStartUp();
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(1000));
    loop.run(5000);
    monitored.endEvaluation?.();
    expect(reported('period')).toEqual([[1000, 6000, 'likely']]);
    expect(reported('lag')).toEqual([]);
  });
});

describe('a pool worker that sleeps within an iteration', () => {
  test('ends its start-up with its first sleep', () => {
    monitor.start(100);
    loop.run(400);
    monitor.sleep();
    expect(reported('period')).toEqual([[1000, 1400, 'likely']]);
    expect(reported('started')).toEqual([[]]);
  });

  test('ends its start-up with its first sleep, also when the sleep is known only afterwards', () => {
    monitor.start(100);
    loop.run(400);
    loop.run(50); // asleep
    monitor.endPeriodAt(1400);
    monitor.wake();
    loop.run(300);
    monitor.sleep();
    expect(reported('period')).toEqual([
      [1000, 1400, 'likely'],
      [1450, 1750, 'over'],
    ]);
    expect(reported('started')).toEqual([[]]);
  });

  test('has a block for each task', () => {
    settle();
    for (let task = 0; task < 3; task++) {
      loop.run(400);
      monitor.sleep();
      loop.run(1); // asleep
      monitor.wake();
    }
    expect(reported('period')).toEqual([
      [1025, 1425, 'over'],
      [1426, 1826, 'over'],
      [1827, 2227, 'over'],
    ]);
  });

  test('shows the watchdog that it is not blocked', () => {
    settle();
    loop.run(400);
    monitor.sleep();
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(1425));
    loop.run(9000);
    monitor.wake();
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(10_425));
  });

  test('has no block when it sleeps for a long time and then iterates', () => {
    settle();
    monitor.sleep();
    loop.run(9000);
    monitor.wake();
    iterate();
    expect(reported('period')).toEqual([]);
  });

  test('has a block that ended in the past when the sleep is known only afterwards', () => {
    settle();
    loop.run(400);
    loop.run(50); // asleep
    monitor.endPeriodAt(1425);
    monitor.wake();
    expect(reported('period')).toEqual([[1025, 1425, 'over']]);
  });
});

describe('while it runs', () => {
  test('a block in a timer is reported with its start and end', () => {
    settle();
    iterate({ timersMs: 250, idleMs: 20 });
    expect(reported('period')).toEqual([[1025, 1275, 'over']]);
  });

  test('a block in an I/O callback is reported with its start and end', () => {
    settle();
    iterate({ idleMs: 20, pollMs: 400 });
    expect(reported('period')).toEqual([[1045, 1445, 'over']]);
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
    expect(reported('period')).toEqual([[1325, 1825, 'over']]);
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
    expect(reported('period')).toEqual([[1025, 1725, 'over']]);
    expect(reported('lag').at(-1)).toEqual([700, 25, 1725]);
  });

  test('a process that exits before its first iteration has start-up, and no block', () => {
    monitor.start(100);
    loop.run(700);
    monitor.flush();
    expect(reported('period')).toEqual([[1000, 1700, 'likely']]);
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

test('a tick is marked before it reports a block', () => {
  settle();
  monitor.markOwnFunctions(() => log.push(['mark']));
  iterate({ isBeatDue: false, pollMs: 300 });
  expect(log.map(([what]) => what)).toEqual(['mark', 'period']);
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
    expect(monitor.mayBeBusyFor(1025 + 99, 100)).toBe(false);
    expect(monitor.mayBeBusyFor(1025 + 100, 100)).toBe(true);
  });

  test('is never late before the first iteration', () => {
    monitor.start(100);
    expect(monitor.mayBeBusyFor(99_999, 100)).toBe(false);
  });
});

describe('a flush within an iteration', () => {
  test('reports the block so far and shows the watchdog that it has ended', () => {
    settle();
    loop.run(300);
    monitor.endBlockSoFar();
    expect(reported('period')).toHaveLength(1);
    expect(reported('lag').at(-1)).toEqual([300, 25, 1325]);
    expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(loop.now()));
  });

  // A busy host.
  test.each<[string, () => void]>([
    [
      'a flush',
      () => {
        monitor.endBlockSoFar();
      },
    ],
    [
      'the exit of the process',
      () => {
        monitor.flush();
      },
    ],
  ])('at %s, the report of the lags is no part of the block, however long it takes', (_when, flush) => {
    settle();
    Object.assign(options.observer, {
      onLag: () => {
        loop.run(400);
      },
    });
    loop.run(300);
    flush();
    expect(reported('period')).toEqual([[1025, 1325, 'over']]);
  });

  test('reports nothing before the entry point has been evaluated', () => {
    monitor.start(50);
    loop.run(300);
    monitor.endBlockSoFar();
    expect(log).toEqual([]);
  });
});
