import { beforeEach, expect, test } from '@jest/globals';
import { toShared } from '../../../src/contract/clock.js';
import { SlotTime } from '../../../src/contract/registry-layout.js';
import { MonitoredLoop } from '../support/monitored-loop.js';

let { loop, timers, slot, log, monitor, reported, iterate, settle } = new MonitoredLoop();

beforeEach(() => {
  ({ loop, timers, slot, log, monitor, reported, iterate, settle } = new MonitoredLoop());
});

/** Makes short iterations, without a timer that is due. */
function shortIterations(count: number): void {
  for (let i = 0; i < count; i++) iterate({ isBeatDue: false, pollMs: 0.05 });
}

/** Brings the monitor to timed ticks. */
function makeTicksTimed(): void {
  settle();
  shortIterations(300);
  expect([timers.immediates, timers.intervals]).toEqual([0, [25, 2]]);
  timers.runIntervals();
  log.length = 0;
}

test('a timed tick is written to the slot', () => {
  makeTicksTimed();
  loop.run(1);
  timers.runIntervals();
  expect(slot.getTime(SlotTime.tickAt)).toBe(toShared(loop.now()));
  expect(timers.immediates).toBe(0);
});

test('a block begins in the middle between two ticks', () => {
  makeTicksTimed();
  const from = loop.now();
  loop.run(0.8);
  loop.run(300);
  timers.runIntervals();
  shortIterations(20);
  timers.runIntervals();
  expect(reported('period')).toEqual([[from + 1, from + 300.8, 'over']]);
});

test('short iterations together are no block', () => {
  makeTicksTimed();
  for (let i = 0; i < 300; i++) {
    loop.run(1.5);
    timers.runIntervals();
  }
  expect(reported('period')).toEqual([]);
});

test('a loop that becomes idle ticks in each iteration again', () => {
  makeTicksTimed();
  for (let i = 0; i < 64; i++) {
    loop.idle(1.1);
    timers.runIntervals();
  }
  expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
  iterate({ idleMs: 20, pollMs: 400, isBeatDue: false });
  expect(reported('period')).toHaveLength(1);
});

test('a threshold so low that two milliseconds matter keeps the tick in each iteration', () => {
  makeTicksTimed();
  monitor.start(20);
  timers.runIntervals();
  shortIterations(300);
  expect([timers.immediates, timers.intervals]).toEqual([1, [10]]);
});

test('another threshold is used at once, and no second tick is armed', () => {
  makeTicksTimed();
  monitor.start(400);
  expect([timers.immediates, timers.intervals.includes(2)]).toEqual([0, true]);
  loop.run(300);
  timers.runIntervals();
  expect(reported('period')).toEqual([]);
});

test('stopping leaves no timer, and a new start ticks in each iteration', () => {
  makeTicksTimed();
  monitor.stop();
  expect(timers.armed.size).toBe(0);
  monitor.start(50);
  expect([timers.immediates, timers.intervals]).toEqual([1, [25]]);
});
