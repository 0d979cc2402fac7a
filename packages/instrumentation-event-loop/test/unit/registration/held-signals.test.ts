import { beforeEach, describe, expect, test } from '@jest/globals';
import { HeldSignals } from '../../../src/registration/held-signals.js';
import type { SignalEvent } from '../../../src/registration/signal-interceptor.js';
import { FakeTimers } from '../support/fake-timers.js';

const TERM: SignalEvent = ['SIGTERM', 'SIGTERM', 15];
const INT: SignalEvent = ['SIGINT', 'SIGINT', 2];

let now: number;
let timers: FakeTimers;
let delivered: SignalEvent[][];
let flushes: string[];
let endFlush: () => void;
let held: HeldSignals;

beforeEach(() => {
  now = 1000;
  timers = new FakeTimers();
  delivered = [];
  flushes = [];
  held = new HeldSignals({
    flush: (signal) => {
      flushes.push(signal);
      return new Promise((resolve) => (endFlush = resolve));
    },
    limitMs: () => 500,
    deliver: (events) => delivered.push([...events]),
    now: () => now,
    timers: timers.asRootTimers,
  });
});

/** Runs the timers that are armed now, `lateMs` after they were due. */
function fire(lateMs = 0): void {
  for (const timer of [...timers.armed]) {
    timers.armed.delete(timer);
    now += timer.ms + lateMs;
    timer.callback();
  }
}

/** Runs timers for as long as the limit allows; returns for how long, ms. */
function fireUntilDelivered(lateMs = 0): number {
  const startedAt = now;
  const earlier = delivered.length;
  while (timers.armed.size > 0 && delivered.length === earlier) fire(lateMs);
  return now - startedAt;
}

async function flushed(): Promise<void> {
  endFlush();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('A signal', () => {
  test('is delivered once its flush has ended, from a timer', async () => {
    held.add(TERM);
    expect(flushes).toEqual(['SIGTERM']);
    await flushed();
    expect(delivered).toEqual([]);
    expect([...timers.armed].map(({ ms }) => ms)).toEqual([0]);
    fire();
    expect(delivered).toEqual([[TERM]]);
    expect(timers.armed.size).toBe(0);
  });

  test('is delivered at its limit while the flush still runs, and only once', async () => {
    held.add(TERM);
    expect(fireUntilDelivered()).toBe(500);
    expect(delivered).toEqual([[TERM]]);
    await flushed();
    fire();
    expect(delivered).toEqual([[TERM]]);
  });

  test('is held for longer where the process cannot run, for the export cannot either', () => {
    held.add(TERM);
    expect(fireUntilDelivered(30)).toBe(800);
    expect(delivered).toEqual([[TERM]]);
  });

  test('is held for twice its limit at most', () => {
    held.add(TERM);
    expect(fireUntilDelivered(450)).toBe(1000);
    expect(delivered).toEqual([[TERM]]);
  });

  test('that repeats another one within 200 ms does not end the wait, and is delivered after it', () => {
    held.add(INT);
    now += 150;
    held.add(INT);
    expect(delivered).toEqual([]);
    fireUntilDelivered();
    expect(delivered).toEqual([[INT, INT]]);
  });

  test('that arrives later, as with a second Ctrl-C, ends the wait at once', () => {
    held.add(INT);
    now += 250;
    held.add(TERM);
    expect(delivered).toEqual([[INT, TERM]]);
    expect(timers.armed.size).toBe(0);
  });

  test('that arrives after a delivery is held again', async () => {
    held.add(INT);
    fireUntilDelivered();
    held.add(INT);
    expect(flushes).toEqual(['SIGINT', 'SIGINT']);
    await flushed();
    fire();
    expect(delivered).toEqual([[INT], [INT]]);
  });

  test('is not delivered by the flush of an earlier one', async () => {
    held.add(INT);
    const endFirst = endFlush;
    fireUntilDelivered();
    held.add(TERM);
    endFirst();
    await new Promise((resolve) => setImmediate(resolve));
    expect(fireUntilDelivered()).toBe(500);
  });
});
