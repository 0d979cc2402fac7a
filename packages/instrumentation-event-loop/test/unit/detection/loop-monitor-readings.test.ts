import { beforeEach, describe, expect, test } from '@jest/globals';
import { judge } from '../../../src/blocks/judge.js';
import { LoopMonitor } from '../../../src/detection/loop-monitor.js';
import { busyPeriod, judgeContext } from '../support/builders.js';
import { MonitoredLoop } from '../support/monitored-loop.js';

let monitored: MonitoredLoop;
let { loop, timers, options, monitor, reported, iterate, settle } = new MonitoredLoop();

beforeEach(() => {
  monitored = new MonitoredLoop();
  ({ loop, timers, options, monitor, reported, iterate, settle } = monitored);
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

  test('are taken between two blocks that follow each other', () => {
    settle();
    iterate({ pollMs: 200 });
    const [[, firstEnd] = []] = reported('period') as [number, number][];
    monitored.times = { cpuMs: 99, runQueueMs: 7 };
    iterate({ pollMs: 200, isBeatDue: false });
    const [, [start, end] = []] = reported('period') as [number, number][];
    expect(start).toBe(firstEnd);
    expect(monitor.readingsAround(start!, end!).before?.at).toBe(firstEnd);
    expect(monitor.readingsAround(start!, end!).after.times).toEqual(monitored.times);
  });

  test('are not moved to the end of a block that is reported only after a sleep', () => {
    settle();
    monitored.times = { cpuMs: 10, runQueueMs: 5 };
    loop.run(200);
    monitor.endPeriodAt(loop.now() - 150);
    const [[start, end] = []] = reported('period') as [number, number][];
    expect(monitor.readingsAround(start!, end!).after).toMatchObject({ at: loop.now(), times: monitored.times });
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

/**
 * The start-up sleeps, reading modules. Then the code computes, and the loop iterates. Before one of the readings of
 * its clock the thread loses the CPU, and waits for it.
 */
describe.each(Array.from({ length: 40 }, (_, i) => i))('where a thread loses the CPU before reading %i', (lostAt) => {
  test('a block that computes right after the start-up has its CPU time, and does not wait', () => {
    let clockReadings = -1;
    const used = { cpuMs: 0, runQueueMs: 0 };
    const lose = (): void => {
      if (clockReadings++ !== lostAt) return;
      loop.run(80);
      used.runQueueMs += 80;
    };
    const compute = (ms: number): void => {
      loop.run(ms);
      used.cpuMs += ms;
    };
    const periods: [number, number][] = [];
    const lost = new LoopMonitor({
      ...options,
      clock: { now: () => (lose(), loop.now()), idleTime: loop.idleTime },
      readThreadTimes: () => ({ ...used }),
      observer: { ...options.observer, onBusyPeriod: (start, end) => periods.push([start, end]) },
    });
    lost.start(100);
    compute(20);
    loop.run(400); // asleep
    monitored.endEvaluation?.();
    compute(200);
    timers.runImmediates();
    compute(150);
    timers.runImmediates();
    for (const [start, end] of periods.slice(1)) {
      const period = busyPeriod({ start, end, ...lost.readingsAround(start, end) });
      const { block } = judge(period, judgeContext({ isSampled: false }));
      expect(block?.attribution.cause).not.toBe('waiting');
      expect(block?.times.cpuMs).toBeGreaterThanOrEqual(150);
    }
    expect(periods).toHaveLength(3);
  });
});
