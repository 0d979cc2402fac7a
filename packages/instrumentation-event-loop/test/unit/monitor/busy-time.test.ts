import { beforeEach, describe, expect, test } from '@jest/globals';

import type { BusyAnswer, BusyWindow } from '../../../src/contract/busy-time-data.ts';
import type { Interval } from '../../../src/contract/interval.ts';
import type { Frame } from '../../../src/contract/model.ts';
import { BusyTime } from '../../../src/monitor/busy-time.ts';
import { OwnWork } from '../../../src/monitor/own-work.ts';
import type { MeasuredCollections } from '../../../src/probe/gc-meter.ts';

let now: number;
let busyMs: number;
let runQueueMs: number | undefined;
let measuredGc: MeasuredCollections;
let ownWork: OwnWork;
let excluded: Interval[];
let windows: BusyWindow[];
let busyTime: BusyTime;
let onWindow: () => void;

function frame(functionName: string, columnNumber = 9): Frame {
  const place = { fileName: `/app/${functionName}.js`, lineNumber: columnNumber === 1 ? 1 : 5, columnNumber };
  return { functionName, ...place, functionLineNumber: 1, functionColumnNumber: 1, isAsync: false };
}

function answer(names: readonly string[], more: Partial<BusyAnswer> = {}): BusyAnswer {
  return {
    requestedAt: now - 0.3,
    sentAt: now - 0.1,
    sentRunQueueMs: 0,
    takenAt: now,
    isFirst: false,
    frames: names.map((name) => frame(name)),
    context: undefined,
    threadTimes: { cpuMs: 1, runQueueMs: 0 },
    arrivals: 1,
    weightMs: 200 * (more.arrivals ?? 1),
    ...more,
  };
}

/** This package works, apart from the times of the test. */
function workFor(ms: number): void {
  const before = now;
  ownWork.during(() => (now += ms));
  now = before;
}

/** The loop is busy for that part of each of so many seconds, and beats twice a second. */
function pass(seconds: number, busyShare: number): void {
  for (let i = 0; i < seconds * 2; i++) {
    now += 500;
    busyMs += 500 * busyShare;
    busyTime.beat(now);
  }
}

function makeBusyTime(): BusyTime {
  return new BusyTime({
    now: () => now,
    busyMs: () => busyMs,
    runQueueMs: () => runQueueMs,
    measuredGc: () => measuredGc,
    ownWork,
    startUpEnd: () => (now >= 1000 ? { at: 1000, busyMs: 300 } : undefined),
    excluded: () => excluded,
    mapStack: (stack) => stack,
    threadId: 0,
    threadName: 'main',
    onWindow: (window) => {
      windows.push(window);
      onWindow();
    },
  });
}

beforeEach(() => {
  now = 1000;
  busyMs = 300;
  runQueueMs = 70;
  measuredGc = { busyMs: 300, gcMs: 20 };
  ownWork = new OwnWork(() => now);
  workFor(7);
  excluded = [];
  windows = [];
  onWindow = () => undefined;
  busyTime = makeBusyTime();
  busyTime.beat(now);
});

test('the busy time of the windows is that of the loop, without start-up and without gaps', () => {
  pass(10, 0.8);
  busyTime.flush();
  expect(windows.reduce((sum, window) => sum + window.busyMs, 0)).toBeCloseTo(8000);
  for (const [i, window] of windows.entries()) expect(window.start).toBe(i === 0 ? 1000 : windows[i - 1]!.end);
});

test('an answer to a question of start-up is no part of the time of the loop, also where it comes with the first beat after it', () => {
  now = 900;
  busyTime = makeBusyTime();
  busyTime.beat(now);
  busyTime.add(answer(['evaluate']));
  now = 1100;
  busyTime.add(answer(['evaluateNatively'], { requestedAt: 999 }));
  busyTime.add(answer(['serve'], { requestedAt: 1001 }));
  busyTime.beat(now);
  pass(2, 0.8);
  busyTime.flush();
  expect(windows.flatMap(({ counts }) => counts.map(({ culprit }) => culprit?.functionName))).toEqual(['serve']);
});

describe('the time of a window in garbage collections', () => {
  function measure(ofBusyMs: number, gcMs: number): void {
    measuredGc = { busyMs: measuredGc.busyMs + ofBusyMs, gcMs: measuredGc.gcMs + gcMs };
  }

  test('is their share of the time in which they were measured, and not known where that is less than half of it', () => {
    measure(720, 360);
    pass(1, 0.8);
    measure(390, 100);
    pass(1, 0.8);
    measure(880, 0);
    pass(1, 0.8);
    busyTime.flush();
    expect(windows.map(({ gcMs }) => gcMs)).toEqual([400, undefined, 0]);
  });

  test('is a share of the time that counts', () => {
    measure(800, 400);
    busyTime.addPeriod(1100, 1500);
    excluded = [{ start: 1100, end: 1300 }];
    pass(2, 0.8);
    busyTime.flush();
    expect(windows[0]).toMatchObject({ busyMs: 600, gcMs: 300 });
  });
});

test('an idle loop reports nothing', () => {
  pass(60, 0.0001);
  expect(windows).toEqual([]);
});

test('equal answers are counted together, with what had arrived for each', () => {
  busyTime.add(answer(['parse', 'serve'], { arrivals: 3 }));
  busyTime.add(answer(['parse', 'serve']));
  busyTime.add(answer(['render']));
  pass(2, 0.5);
  expect(windows[0]?.counts.map(({ culprit, stack, answers }) => [culprit?.functionName, stack, answers])).toEqual([
    ['parse', 'serve;parse', 4],
    ['render', 'render', 1],
  ]);
});

test('an answer that came only after a native call is a guess, and does not show the function that it entered', () => {
  const frames = [frame('next', 1), frame('caller')];
  busyTime.add(answer([], { frames, sentAt: now - 40 }));
  busyTime.add(answer(['parse'], { sentAt: now - 40, threadTimes: { cpuMs: 1, runQueueMs: 39.9 } }));
  pass(2, 0.5);
  expect(windows[0]?.counts.map(({ culprit, lateAnswers }) => [culprit?.functionName, lateAnswers])).toEqual([
    ['caller', 1],
    ['parse', 0],
  ]);
});

test('an answer at the entry of a function of Node shows what called it, and no function where that is the loop', () => {
  const ofNode = (functionName: string, columnNumber: number): Frame => ({
    ...frame(functionName, columnNumber),
    fileName: 'node:net',
  });
  const afterShutdown = ofNode('afterShutdown', 1);
  busyTime.add(answer([], { frames: [afterShutdown] }));
  busyTime.add(answer([], { frames: [afterShutdown, frame('closeAll')] }));
  busyTime.add(answer([], { frames: [ofNode('onread', 9)] }));
  pass(2, 0.8);
  busyTime.flush();
  const counts = windows.flatMap((window) => window.counts);
  expect(counts.map(({ culprit }) => culprit?.functionName)).toEqual([undefined, 'closeAll', 'onread']);
});

describe('work of this package', () => {
  const own = { ...frame('judge'), isOwn: true };
  const shares = (): unknown[] => {
    const counts = windows.flatMap((window) => window.counts);
    const weight = counts.reduce((sum, { weightMs }) => sum + weightMs, 0);
    return counts.map(({ culprit, stack, answers, weightMs }) => [
      culprit?.functionName,
      stack,
      answers,
      Math.round((weightMs / weight) * 1000) / 1000,
    ]);
  };

  test('has the share of its measured time, however many answers show it', () => {
    busyTime.add(answer(['serve'], { arrivals: 3 }));
    busyTime.add(answer([], { frames: [own] }));
    busyTime.add(answer([], { frames: [own, { ...own, functionName: 'tick' }], arrivals: 2 }));
    workFor(50);
    pass(2, 0.5);
    busyTime.flush();
    expect(shares()).toEqual([
      ['serve', 'serve', 3, 0.9],
      ["Loopwatch's own work", "Loopwatch's own work", 3, 0.1],
    ]);
  });

  test('is counted where no answer shows it, and not where it took no time', () => {
    busyTime.add(answer(['serve']));
    workFor(50);
    pass(1, 0.5);
    busyTime.add(answer(['serve']));
    busyTime.add(answer([], { frames: [own] }));
    pass(2, 0.5);
    expect(windows.map(({ counts }) => counts.map(({ culprit, answers }) => [culprit?.functionName, answers]))).toEqual(
      [
        [
          ['serve', 1],
          ["Loopwatch's own work", 0],
        ],
        [['serve', 1]],
      ],
    );
  });

  test('within the request of the application is that of the application, as is a hook that it calls', () => {
    busyTime.add(answer([], { frames: [own, frame('serve')] }));
    busyTime.add(answer([], { frames: [frame('sendToSlack'), own], weightMs: 40 }));
    workFor(100);
    pass(2, 0.5);
    expect(windows[0]?.counts.map(({ culprit, weightMs }) => [culprit?.functionName, weightMs])).toEqual([
      ['serve', 200],
      ['sendToSlack', 40],
      ["Loopwatch's own work", (240 * 0.2) / 0.8 - 40],
    ]);
  });
});

test('an answer within a long busy period is within a block', () => {
  now = 1200;
  busyTime.add(answer(['parse']));
  busyTime.addPeriod(1100, 1300);
  now = 1400;
  busyTime.add(answer(['parse']));
  pass(2, 0.5);
  expect(windows[0]?.counts.map(({ isInBlock }) => isInBlock)).toEqual([true, false]);
});

test('time at a breakpoint and in a suspension is no busy time, and its answers do not count', () => {
  now = 1200;
  busyTime.add(answer(['stopped']));
  busyTime.addPeriod(1050, 1450);
  excluded = [
    { start: 1100, end: 1300 },
    { start: 1200, end: 1400 },
  ];
  now = 1000;
  pass(2, 0.5);
  expect(windows[0]).toMatchObject({ busyMs: 500 - 300, counts: [] });
});

test('a suspension is no busy time of the window in which it was, also where its busy period ends in the next one', () => {
  excluded = [{ start: 1100, end: 2900 }];
  now = 3000;
  busyMs += 1950;
  busyTime.beat(1050);
  now = 3100;
  busyMs += 100;
  busyTime.addPeriod(1050, 3100);
  pass(2, 0.5);
  busyTime.flush();
  expect(windows.map((window) => window.busyMs)).toEqual([150, 600, 500]);
});

test('idle time that libuv has forgotten is taken off', () => {
  busyTime.lose(400);
  pass(3, 0.5);
  busyTime.flush();
  expect(windows.reduce((sum, window) => sum + window.busyMs, 0)).toBeCloseTo(1500 - 400);
});

test('of too many answers, some stand for others', () => {
  for (let i = 0; i < 10_000; i++) busyTime.add(answer([i % 4 === 0 ? 'rare' : 'often']));
  pass(2, 0.9);
  const counts = windows[0]!.counts;
  expect(counts.reduce((sum, { answers }) => sum + answers, 0)).toBe(10_000);
});

test('A window says for how much of it the busy thread waited for a CPU, and never more than it was busy', () => {
  pass(1, 0.5);
  runQueueMs = 270;
  pass(1, 0.5);
  runQueueMs = 3000;
  pass(1, 0.5);
  runQueueMs = undefined;
  pass(1, 0.5);
  runQueueMs = 3000;
  pass(2, 0.5);
  busyTime.flush();
  expect(windows.map((window) => window.runQueueMs).slice(0, 6)).toEqual([0, 200, 500, undefined, undefined, 0]);
});

test('What is excluded is no wait for a CPU either', () => {
  busyTime.addPeriod(1100, 1400);
  excluded = [{ start: 1100, end: 1400 }];
  runQueueMs = 470;
  pass(2, 0.5);
  expect(windows[0]).toMatchObject({ busyMs: 200, runQueueMs: 200 });
});

test('to report a window is work of this package, and no beat without a report is', () => {
  const workDuring = (beat: () => void): number => {
    const before = ownWork.totalMs;
    onWindow = () => (now += 30);
    beat();
    return ownWork.totalMs - before;
  };
  expect(
    workDuring(() => {
      pass(1, 0.5);
    }),
  ).toBe(0);
  expect(
    workDuring(() => {
      pass(1, 0.5);
    }),
  ).toBe(30);
  expect(ownWork.intervals.at(-1)).toEqual({ start: 2500, end: 2530 });
});
