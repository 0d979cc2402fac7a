import { beforeEach, describe, expect, test } from '@jest/globals';
import { BusyPeriods } from '../../../src/detection/busy-periods.js';
import type { Interval } from '../../../src/contract/interval.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

let loop: SimulatedLoop;
let told: Interval[];
let runs: BusyPeriods;

beforeEach(() => {
  loop = new SimulatedLoop();
  told = [];
  runs = new BusyPeriods(loop, (start, end) => told.push({ start, end }));
  runs.minMs = 100;
});

test('a run that reaches the threshold exactly is told, with its exact start and end', () => {
  loop.run(100);
  runs.tick();
  expect(told).toEqual([{ start: 1000, end: 1100 }]);
});

test('a run just below the threshold is not told', () => {
  loop.run(99.99);
  runs.tick();
  expect(told).toEqual([]);
});

test('nothing is told before a threshold is set', () => {
  const silent = new BusyPeriods(loop, () => told.push({ start: 0, end: 0 }));
  loop.run(60_000);
  silent.tick();
  expect(told).toEqual([]);
});

test('where checkpoints are far apart, what blocks began in the middle between two', () => {
  runs.tick();
  runs.expectNextAfter(2);
  loop.run(1); // small turns
  loop.run(300);
  runs.tick();
  expect(told).toEqual([{ start: 1001, end: 1301 }]);
});

test('a checkpoint that comes before that tells nothing', () => {
  runs.minMs = 0.5;
  runs.tick();
  told.length = 0;
  runs.expectNextAfter(2);
  loop.run(0.25);
  runs.tick();
  expect(told).toEqual([]);
});

test('a timer that blocks ends at the heartbeat, without the idle poll after it', () => {
  runs.tick();
  loop.run(300); // timers: the callback blocks
  runs.heartbeat(); // a heartbeat that is due after it, in the same phase
  loop.idle(500); // poll
  runs.tick();
  expect(told).toEqual([{ start: 1000, end: 1300 }]);
});

test('an I/O callback that blocks starts after the idle poll before it', () => {
  runs.tick();
  runs.heartbeat();
  loop.idle(500); // poll
  loop.run(300); // the callback blocks, in the poll phase
  runs.tick();
  expect(told).toEqual([{ start: 1500, end: 1800 }]);
});

test('a timer and an I/O callback that block in one turn with an idle poll between them are two runs', () => {
  runs.tick();
  loop.run(200);
  runs.heartbeat();
  loop.idle(50);
  loop.run(300);
  runs.tick();
  expect(told).toEqual([
    { start: 1000, end: 1200 },
    { start: 1250, end: 1550 },
  ]);
});

test('a timer and an I/O callback that block in one turn without an idle poll are one run', () => {
  runs.tick();
  loop.run(60);
  runs.heartbeat();
  loop.run(60);
  runs.tick();
  expect(told).toEqual([{ start: 1000, end: 1120 }]);
});

test('an immediate that blocks belongs to the turn of the tick after it', () => {
  runs.tick();
  loop.run(150); // another immediate of the same check phase, after the tick
  runs.heartbeat();
  loop.idle(20);
  runs.tick();
  expect(told).toEqual([{ start: 1000, end: 1150 }]);
});

test('work in chunks that lets the loop turn is no block, however long it takes', () => {
  for (let chunk = 0; chunk < 50; chunk++) {
    loop.run(60);
    runs.tick();
  }
  expect(told).toEqual([]);
});

test('chunks that each block are told one by one, and touch', () => {
  for (let chunk = 0; chunk < 3; chunk++) {
    loop.run(120);
    runs.tick();
  }
  expect(told).toEqual([
    { start: 1000, end: 1120 },
    { start: 1120, end: 1240 },
    { start: 1240, end: 1360 },
  ]);
});

test('a run is told once, however many heartbeats follow', () => {
  loop.run(200);
  runs.heartbeat();
  loop.idle(30);
  runs.heartbeat();
  loop.idle(30);
  runs.heartbeat();
  runs.tick();
  expect(told).toEqual([{ start: 1000, end: 1200 }]);
});

test.each([
  ['half a millisecond of idle time does not cut a run', 0.5, [{ start: 1000, end: 1200.5 }]],
  [
    'more than half a millisecond of idle time does',
    0.6,
    [
      { start: 1000, end: 1100 },
      { start: 1100.6, end: 1200.6 },
    ],
  ],
])('%s', (_, idleMs, expected) => {
  loop.run(100);
  runs.heartbeat();
  loop.idle(idleMs);
  loop.run(100);
  runs.tick();
  expect(told.map(({ start, end }) => ({ start: round(start), end: round(end) }))).toEqual(expected);
});

test('a poll that waited for longer than passed between the checkpoints does not start a run in the future', () => {
  let now = 0;
  let idle = 0;
  const clock = { now: () => now, idleTime: () => idle };
  const onOddClock = new BusyPeriods(clock, (start, end) => told.push({ start, end }));
  onOddClock.minMs = 0;
  now = 10;
  idle = 25;
  onOddClock.heartbeat();
  expect(onOddClock.periodStart).toBe(10);
});

test('an idle loop is never a block', () => {
  for (let turn = 0; turn < 10; turn++) {
    loop.idle(5000);
    loop.run(0.1);
    runs.heartbeat();
    runs.tick();
  }
  expect(told).toEqual([]);
});

describe('between checkpoints', () => {
  test('knows when the run that is under way began', () => {
    runs.tick();
    expect(runs.periodStart).toBe(1000);
    loop.idle(50);
    loop.run(5);
    runs.heartbeat();
    expect(runs.periodStart).toBe(1050);
    runs.tick();
    expect(runs.periodStart).toBe(1055);
  });

  test('keeps the time and the idle time of the last checkpoint', () => {
    loop.idle(20);
    loop.run(7);
    runs.heartbeat();
    loop.run(1);
    expect(runs.at).toBe(1027);
    expect(runs.idleTime).toBe(420);
  });
});

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
