import { beforeEach, describe, expect, test } from '@jest/globals';
import { BusyPeriods } from '../../../src/detection/busy-periods.js';
import type { Interval } from '../../../src/contract/interval.js';
import { SimulatedLoop } from '../support/simulated-loop.js';

let loop: SimulatedLoop;
let reported: Interval[];
let periods: BusyPeriods;

beforeEach(() => {
  loop = new SimulatedLoop();
  reported = [];
  periods = new BusyPeriods(loop, (start, end) => reported.push({ start, end }));
  periods.minMs = 100;
});

test('a busy period that just reaches the threshold is reported, with its exact start and end', () => {
  loop.run(100);
  periods.tick();
  expect(reported).toEqual([{ start: 1000, end: 1100 }]);
});

test('a busy period just below the threshold is not reported', () => {
  loop.run(99.99);
  periods.tick();
  expect(reported).toEqual([]);
});

test('nothing is reported before a threshold is set', () => {
  const silent = new BusyPeriods(loop, () => reported.push({ start: 0, end: 0 }));
  loop.run(60_000);
  silent.tick();
  expect(reported).toEqual([]);
});

test('where checkpoints are far apart, a block begins in the middle between two of them', () => {
  periods.tick();
  periods.expectNextAfter(2);
  loop.run(1); // short iterations
  loop.run(300);
  periods.tick();
  expect(reported).toEqual([{ start: 1001, end: 1301 }]);
});

test('a checkpoint before that middle reports nothing', () => {
  periods.minMs = 0.5;
  periods.tick();
  reported.length = 0;
  periods.expectNextAfter(2);
  loop.run(0.25);
  periods.tick();
  expect(reported).toEqual([]);
});

test('a block in a timer ends at the heartbeat, without the idle poll after it', () => {
  periods.tick();
  loop.run(300); // timers: the callback blocks
  periods.heartbeat(); // a heartbeat that is due after it, in the same phase
  loop.idle(500); // poll
  periods.tick();
  expect(reported).toEqual([{ start: 1000, end: 1300 }]);
});

test('a block in an I/O callback starts after the idle poll before it', () => {
  periods.tick();
  periods.heartbeat();
  loop.idle(500); // poll
  loop.run(300); // the callback blocks, in the poll phase
  periods.tick();
  expect(reported).toEqual([{ start: 1500, end: 1800 }]);
});

test('a timer and an I/O callback that block in one iteration with an idle poll between them are two busy periods', () => {
  periods.tick();
  loop.run(200);
  periods.heartbeat();
  loop.idle(50);
  loop.run(300);
  periods.tick();
  expect(reported).toEqual([
    { start: 1000, end: 1200 },
    { start: 1250, end: 1550 },
  ]);
});

test('a timer and an I/O callback that block in one iteration without an idle poll are one busy period', () => {
  periods.tick();
  loop.run(60);
  periods.heartbeat();
  loop.run(60);
  periods.tick();
  expect(reported).toEqual([{ start: 1000, end: 1120 }]);
});

test('an immediate that blocks belongs to the iteration of the next tick', () => {
  periods.tick();
  loop.run(150); // another immediate of the same check phase, after the tick
  periods.heartbeat();
  loop.idle(20);
  periods.tick();
  expect(reported).toEqual([{ start: 1000, end: 1150 }]);
});

test('work in chunks that lets the loop iterate is no block, however long it takes', () => {
  for (let chunk = 0; chunk < 50; chunk++) {
    loop.run(60);
    periods.tick();
  }
  expect(reported).toEqual([]);
});

test('chunks that each block are reported one by one, without idle time between them', () => {
  for (let chunk = 0; chunk < 3; chunk++) {
    loop.run(120);
    periods.tick();
  }
  expect(reported).toEqual([
    { start: 1000, end: 1120 },
    { start: 1120, end: 1240 },
    { start: 1240, end: 1360 },
  ]);
});

test('a busy period is reported once, however many heartbeats follow', () => {
  loop.run(200);
  periods.heartbeat();
  loop.idle(30);
  periods.heartbeat();
  loop.idle(30);
  periods.heartbeat();
  periods.tick();
  expect(reported).toEqual([{ start: 1000, end: 1200 }]);
});

test.each([
  ['half a millisecond of idle time does not end a busy period', 0.5, [{ start: 1000, end: 1200.5 }]],
  [
    'more than half a millisecond of idle time ends a busy period',
    0.6,
    [
      { start: 1000, end: 1100 },
      { start: 1100.6, end: 1200.6 },
    ],
  ],
])('%s', (_, idleMs, expected) => {
  loop.run(100);
  periods.heartbeat();
  loop.idle(idleMs);
  loop.run(100);
  periods.tick();
  expect(reported.map(({ start, end }) => ({ start: round(start), end: round(end) }))).toEqual(expected);
});

test('a poll that is longer than the time between two checkpoints does not start a busy period in the future', () => {
  let now = 0;
  let idle = 0;
  const clock = { now: () => now, idleTime: () => idle };
  const onOddClock = new BusyPeriods(clock, (start, end) => reported.push({ start, end }));
  onOddClock.minMs = 0;
  now = 10;
  idle = 25;
  onOddClock.heartbeat();
  expect(onOddClock.periodStart).toBe(10);
});

test('an idle loop is never a block', () => {
  for (let iteration = 0; iteration < 10; iteration++) {
    loop.idle(5000);
    loop.run(0.1);
    periods.heartbeat();
    periods.tick();
  }
  expect(reported).toEqual([]);
});

describe('a busy period', () => {
  test('has a start while it lasts', () => {
    periods.tick();
    expect(periods.periodStart).toBe(1000);
    loop.idle(50);
    loop.run(5);
    periods.heartbeat();
    expect(periods.periodStart).toBe(1050);
    periods.tick();
    expect(periods.periodStart).toBe(1055);
  });

  test('keeps the time and the idle time of the last checkpoint', () => {
    loop.idle(20);
    loop.run(7);
    periods.heartbeat();
    loop.run(1);
    expect(periods.at).toBe(1027);
    expect(periods.idleTime).toBe(420);
  });
});

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

describe('a flush within an iteration', () => {
  test('ends a block so far, and the rest of the iteration is a busy period of its own', () => {
    periods.tick();
    loop.run(300);
    expect(periods.endBlockSoFar()).toBe(true);
    loop.run(120);
    periods.tick();
    expect(reported).toEqual([
      { start: 1000, end: 1300 },
      { start: 1300, end: 1420 },
    ]);
  });

  test('does not end a busy period that is no block yet', () => {
    periods.tick();
    loop.run(60);
    expect(periods.endBlockSoFar()).toBe(false);
    loop.run(60);
    periods.tick();
    expect(reported).toEqual([{ start: 1000, end: 1120 }]);
  });

  test('does not count the idle time before the block', () => {
    periods.tick();
    loop.idle(500);
    loop.run(200);
    periods.endBlockSoFar();
    expect(reported).toEqual([{ start: 1500, end: 1700 }]);
  });

  test('leaves the time since which the loop has not been idle as it is', () => {
    periods.tick();
    loop.idle(500);
    loop.run(200);
    periods.endBlockSoFar();
    loop.run(150);
    periods.endBlockSoFar();
    periods.tick();
    expect(periods.iterationPeriodStart).toBe(1500);
    loop.run(20);
    periods.tick();
    expect(periods.iterationPeriodStart).toBe(1850);
  });
});

describe('a report that ends the period again, as a hook that flushes or ends the process', () => {
  const again: (() => void)[] = [
    () => {
      periods.endBlockSoFar();
    },
    () => {
      periods.tick();
    },
  ];
  const ends: (() => void)[] = [
    () => {
      periods.tick();
    },
    () => {
      periods.endBlockSoFar();
    },
    () => {
      loop.idle(50);
      periods.heartbeat();
    },
    () => {
      periods.endAt(loop.now());
    },
  ];

  test.each(ends.flatMap((end) => again.map((repeat) => [end, repeat] as const)))(
    'reports it once (%#)',
    (end, repeat) => {
      periods = new BusyPeriods(loop, (start, at) => {
        reported.push({ start, end: at });
        loop.run(5);
        if (reported.length < 10) repeat();
      });
      periods.minMs = 100;
      loop.run(300);
      periods.heartbeat();
      end();
      expect(reported).toEqual([{ start: 1000, end: 1300 }]);
    },
  );
});
