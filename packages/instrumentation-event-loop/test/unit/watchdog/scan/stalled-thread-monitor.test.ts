import { beforeEach, describe, expect, test } from '@jest/globals';
import { sharedNow } from '../../../../src/contract/clock.js';
import { BYTE_LENGTH, Ending, Question, SlotInt, SlotTime } from '../../../../src/contract/registry-layout.js';
import { Registry } from '../../../../src/contract/registry.js';
import type { Slot } from '../../../../src/contract/slots.js';
import type { StalledThread } from '../../../../src/contract/stalled-thread.js';
import { ownThreadId } from '../../../../src/contract/thread-times.js';
import { StalledThreadMonitor } from '../../../../src/watchdog/scan/stalled-thread-monitor.js';

const TICK_AT = 1000;
const HANG_AFTER_MS = 5000;

/** Ages, ms, at which a hang and the gauge were reported; 0 where the thread had recovered. */
let hangAges: number[];
let gaugeAges: number[];
let monitor: StalledThreadMonitor;
let slot: Slot;
/** Times at which the thread was asked for a report, and whether it answers. */
let reportsAskedAt: number[];
let answers: boolean;
let questions: number;
let lookedAt: number;

beforeEach(() => {
  hangAges = [];
  gaugeAges = [];
  reportsAskedAt = [];
  answers = false;
  questions = 0;
  const registry = new Registry(new SharedArrayBuffer(BYTE_LENGTH));
  slot = registry.slot(0);
  slot.setTime(SlotTime.tickAt, TICK_AT);
  slot.setTime(SlotTime.hangAfterMs, HANG_AFTER_MS);
  const observer = {
    onStalled: ({ ageMs }: StalledThread) => void gaugeAges.push(ageMs),
    onLength: () => undefined,
    onEnded: () => undefined,
    onSoFar: () => undefined,
    onUnaskable: () => undefined,
    onHang: ({ ageMs }: StalledThread) => {
      hangAges.push(ageMs);
      return new Uint8Array(24);
    },
  };
  monitor = new StalledThreadMonitor(registry, slot, observer, (_registry, _threadId, expression, question) => {
    questions++;
    const wantsReport = expression.includes('true');
    if (wantsReport) reportsAskedAt.push(lookedAt);
    if (answers) question.onAnswer(wantsReport ? '1[]' : 1);
  });
});

/** The watchdog looks every 20 ms at a thread whose loop does not tick, and which it knows to be idle at `idleAt`. */
function look(from: number, to: number, idleAt = 0): void {
  for (lookedAt = from; lookedAt <= to; lookedAt += 20) monitor.look(TICK_AT, idleAt, lookedAt);
}

describe('a hang in which the process is suspended', () => {
  test('is reported at its age without the suspensions, however often they come', () => {
    look(1100, 4000);
    monitor.excludeSuspension(4000, 4600);
    look(4600, 6000);
    monitor.excludeSuspension(6000, 6100);
    look(6100, 7500);
    expect(hangAges).toHaveLength(1);
    expect(hangAges[0]).toBeGreaterThanOrEqual(HANG_AFTER_MS);
    expect(hangAges[0]).toBeLessThan(HANG_AFTER_MS + 300);
    expect(gaugeAges).not.toContain(0);
    expect(monitor.currentBlock()?.blockedSince).toBe(TICK_AT + 700);
  });

  test('is not older for a suspension before it', () => {
    look(3000, 3020, 3000);
    monitor.excludeSuspension(2000, 2900);
    expect(monitor.currentBlock()?.blockedSince).toBe(3000);
  });

  test('begins again where the thread was idle meanwhile', () => {
    look(1100, 4000);
    look(4020, 7000, 4010);
    expect(hangAges).toEqual([]);
    expect(monitor.currentBlock()?.blockedSince).toBe(4010);
  });
});

test('a report that is due asks the thread at once, however long ago it was to be asked next', () => {
  answers = true;
  look(1100, TICK_AT + HANG_AFTER_MS - 20);
  const before = reportsAskedAt.length;
  expect(hangAges).toHaveLength(0);
  look(TICK_AT + HANG_AFTER_MS, TICK_AT + HANG_AFTER_MS + 60);
  expect(reportsAskedAt.slice(before)).toEqual([TICK_AT + HANG_AFTER_MS]);
  expect(hangAges).toHaveLength(1);
});

test('a thread that is terminated is asked nothing more', () => {
  answers = true;
  look(1100, 1500);
  const before = questions;
  expect(before).toBeGreaterThan(0);
  slot.setInt(SlotInt.ending, Ending.terminated);
  look(1520, 3000);
  expect([questions, slot.getInt(SlotInt.question)]).toEqual([before, Question.none]);
});

/** The thread that runs this test is the one that is watched. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('while the watchdog woke late, the stalled thread', () => {
  const LATE_MS = 100;

  beforeEach(() => {
    slot.setInt(SlotInt.osThreadId, ownThreadId());
    monitor.look(TICK_AT, 0, sharedNow());
  });

  test('has run', () => {
    const start = sharedNow();
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < LATE_MS * 1000);
    expect(monitor.hasRun(start, start + LATE_MS)).toBe(true);
  });

  test('has slept, as in a suspension', () => {
    const start = sharedNow();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
    expect(monitor.hasRun(start, sharedNow())).toBe(false);
  });

  test('has run only in the time before, in which the watchdog slept as planned', () => {
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < LATE_MS * 1000);
    const start = sharedNow();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
    expect(monitor.hasRun(start, sharedNow())).toBe(false);
  });
});

test('nothing shows that a thread has run whose times cannot be read', () => {
  look(1100, 1200);
  expect(monitor.hasRun(1220, 2000)).toBe(false);
});
