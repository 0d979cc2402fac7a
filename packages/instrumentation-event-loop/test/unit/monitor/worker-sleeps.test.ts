import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { observeSleeps } from '../../../src/monitor/worker-sleeps.js';
import type { Frame } from '../../../src/contract/model.js';
import { dependencyFrame, frame, nodeFrame } from '../support/builders.js';

const cell = new Int32Array(new SharedArrayBuffer(4));
const original = Atomics.wait;
const pool = [frame('waitForTask'), frame('main', { lineNumber: 3 }), nodeFrame('emit')];
const insideOfTask = [dependencyFrame('callSync'), frame('task'), nodeFrame('emit')];

let now: number;
let stack: readonly Frame[];
let sleepMs: number;
let events: unknown[][];
let sleeps: ReturnType<typeof observeSleeps>;

beforeEach(() => {
  now = 1000;
  stack = pool;
  sleepMs = 0;
  events = [];
  const slept = (): 'timed-out' => {
    now += sleepMs;
    return 'timed-out';
  };
  Reflect.set(Atomics, 'wait', slept);
  sleeps = observeSleeps({
    now: () => now,
    captureStack: () => stack,
    observer: {
      onSleep: () => events.push(['sleep', now]),
      onWake: (start) => events.push(['wake', start, now]),
      onError: (error) => events.push(['error', error]),
    },
  });
});

afterEach(() => {
  sleeps.remove();
  Reflect.set(Atomics, 'wait', original);
});

/** Works for some time and then sleeps. */
function workAndSleep(workMs: number, ms: number): void {
  now += workMs;
  sleepMs = ms;
  Atomics.wait(cell, 0, 0);
}

test('a sleep between two tasks is reported before and after it, however short it is', () => {
  workAndSleep(400, 0);
  workAndSleep(300, 5000);
  expect(events).toEqual([
    ['sleep', 1400],
    ['wake', 1400, 1400],
    ['sleep', 1700],
    ['wake', 1700, 6700],
  ]);
});

test('an application that replaces Reflect.apply sleeps as before', () => {
  const { apply } = Reflect;
  Reflect.set(Reflect, 'apply', () => {
    throw new Error('of the application');
  });
  try {
    workAndSleep(400, 10);
  } finally {
    Reflect.set(Reflect, 'apply', apply);
  }
  expect(now).toBe(1410);
});

test('the first sleep is looked at, however soon it comes: it ends the start-up', () => {
  workAndSleep(1, 0);
  workAndSleep(1, 0);
  expect(events).toEqual([
    ['sleep', 1001],
    ['wake', 1001, 1001],
  ]);
});

test('a short sleep inside of a task is part of the task', () => {
  stack = insideOfTask;
  workAndSleep(400, 15);
  expect(events).toEqual([]);
});

test('a long sleep ends the work before it, wherever it takes place', () => {
  stack = insideOfTask;
  workAndSleep(400, 300);
  expect(events).toEqual([['wake', 1400, 1700]]);
});

test('a lock that is taken again and again costs no stack capture', () => {
  stack = [];
  for (let i = 0; i < 100; i++) workAndSleep(0.001, 0.001);
  expect(events).toEqual([]);
});

test('the result and the errors are those of the wrapped function', () => {
  expect(Atomics.wait(cell, 0, 0)).toBe('timed-out');
  sleeps.remove();
  Reflect.set(Atomics, 'wait', original);
  sleeps = observeSleeps({
    now: () => now,
    captureStack: () => stack,
    observer: { onSleep: () => undefined, onWake: () => undefined, onError: () => undefined },
  });
  expect(() => Atomics.wait(new Int32Array(4), 0, 0)).toThrow(TypeError);
  expect(Atomics.wait(cell, 0, 1)).toBe('not-equal');
});

test('an error of ours does not reach the application', () => {
  Object.defineProperty(pool, 'filter', { value: undefined });
  now += 50;
  expect(Atomics.wait(cell, 0, 0)).toBe('timed-out');
  expect(events[0]?.[0]).toBe('error');
  Reflect.deleteProperty(pool, 'filter');
});

test('the wrapper marks itself once', () => {
  let marks = 0;
  sleeps.markWrapper(() => marks++);
  workAndSleep(1, 1);
  workAndSleep(1, 1);
  expect(marks).toBe(1);
});

test('removing the wrapper restores the function, unless another has replaced it since', () => {
  const before = Atomics.wait;
  sleeps.remove();
  expect(Atomics.wait).not.toBe(before);
  const replaced = (): 'ok' => 'ok';
  Reflect.set(Atomics, 'wait', replaced);
  sleeps.remove();
  expect(Atomics.wait).toBe(replaced);
});
