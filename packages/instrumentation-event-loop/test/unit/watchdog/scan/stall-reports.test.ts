import { beforeEach, describe, expect, test } from '@jest/globals';
import { BYTE_LENGTH, Sleep, SlotInt, SlotTime } from '../../../../src/contract/registry-layout.js';
import { Registry } from '../../../../src/contract/registry.js';
import type { Slot } from '../../../../src/contract/slots.js';
import type { StalledThread } from '../../../../src/contract/stalled-thread.js';
import { SilenceReader } from '../../../../src/watchdog/scan/silence.js';
import { StallReports } from '../../../../src/watchdog/scan/stall-reports.js';

/** What was reported, with the age of the block and whether the thread had answered for it. */
let reported: [string, number, boolean][];
let lengths: Pick<StalledThread, 'ageMs' | 'times'>[];
/** What the kernel counts of the thread; it computes unless a test says otherwise. */
let times: (now: number) => { cpuMs: number; runQueueMs: number };
let lookedAt: number;
let reports: StallReports;
let slot: Slot;

function start(hangAfterMs: number, soFarAfterMs: number): void {
  [reported, lengths] = [[], []];
  const note =
    (what: string) =>
    ({ ageMs, hangReports, silence }: StalledThread): void => {
      reported.push([what, ageMs, hangReports !== undefined && silence === undefined]);
    };
  const registry = new Registry(new SharedArrayBuffer(BYTE_LENGTH));
  slot = registry.slot(0);
  slot.setTime(SlotTime.hangAfterMs, hangAfterMs);
  slot.setTime(SlotTime.soFarAfterMs, soFarAfterMs);
  times = (now) => ({ cpuMs: now, runQueueMs: 0 });
  lookedAt = 0;
  const silence = new SilenceReader(slot, () => times(lookedAt));
  silence.restart(0, 0);
  silence.onAsked(0);
  const observer = {
    onStalled: note('gauge'),
    onLength: (thread: StalledThread) => {
      note('length')(thread);
      lengths.push({ ageMs: thread.ageMs, times: thread.times });
    },
    onEnded: note('ended'),
    onSoFar: note('soFar'),
    onUnaskable: () => undefined,
    onHang: (thread: StalledThread) => {
      note('hang')(thread);
      return new Uint8Array(24);
    },
  };
  reports = new StallReports(registry, slot, 0, observer, silence);
}

/** The watchdog looks every 20 ms, until that age. */
function look(fromMs: number, toMs: number): void {
  for (lookedAt = fromMs; lookedAt <= toMs; lookedAt += 20) reports.reportDue(lookedAt, lookedAt);
}

function answer(ageMs: number): void {
  reports.setHangReports('[]', ageMs);
  if (reports.isReportDue) reports.report(ageMs);
}

const only = (what: string): [number, boolean][] =>
  reported.filter(([each]) => each === what).map(([, ageMs, isAnswered]) => [ageMs, isAnswered]);

describe('the block so far', () => {
  beforeEach(() => {
    start(5000, 100);
  });

  test('is reported with the first answer after it became due', () => {
    look(20, 140);
    answer(150);
    expect(only('soFar')).toEqual([[150, true]]);
    expect(only('hang')).toEqual([]);
  });

  test('of a thread that does not answer is reported without an answer, and again with the one that comes', () => {
    look(20, 380);
    expect(only('soFar')).toEqual([[360, false]]);
    answer(390);
    expect(only('soFar')).toEqual([
      [360, false],
      [390, true],
    ]);
  });

  test('has with each length the times that belong to it', () => {
    times = (now) => ({ cpuMs: now / 4, runQueueMs: now / 2 });
    look(20, 1000);
    expect(lengths.at(-1)).toEqual({ ageMs: 1000, times: { cpuMs: 250, runQueueMs: 500 } });
  });

  test('has no length any more when the thread has recovered', () => {
    look(20, 320);
    reports.recover();
    expect(only('length').map(([ageMs]) => ageMs)).toEqual([100, 200, 300, 0]);
    expect(only('gauge')).toEqual([]);
  });

  test('of a worker keeps its length until the worker has reported the block', () => {
    look(20, 320);
    slot.setInt(SlotInt.sleep, Sleep.reporting);
    reports.recover();
    expect(only('length').at(-1)).toEqual([300, false]);
    slot.setInt(SlotInt.sleep, Sleep.none);
    reports.recover();
    expect(only('length').at(-1)).toEqual([0, false]);
  });

  test('keeps its length where the thread has ended: nothing else is known of the block', () => {
    start(1000, 100);
    look(20, 1300);
    reports.end();
    expect(only('length').at(-1)?.[0]).toBe(1300);
    expect(only('ended')).toHaveLength(1);
    expect(only('gauge').map(([ageMs]) => ageMs)).toEqual([1000, 0]);
  });
});

test('a hang that the thread does not answer is reported once, until the next is due', () => {
  start(1000, 0);
  look(20, 1900);
  expect(only('hang')).toEqual([[1260, false]]);
  expect(only('soFar')).toEqual([]);
});

test('a thread that has answered before gets more time for its answer: its calls return', () => {
  start(1000, 0);
  answer(900);
  look(920, 1980);
  expect(only('hang')).toEqual([]);
  look(2000, 2040);
  expect(only('hang')).toEqual([[2020, false]]);
});

test('a thread that waits for a CPU gets more time still, up to a limit', () => {
  start(1000, 0);
  times = (now) => ({ cpuMs: 1, runQueueMs: now });
  look(20, 3480);
  expect(only('hang')).toEqual([]);
  look(3500, 3600);
  expect(only('hang')).toEqual([[3520, false]]);
});

test('an answer from before a report became due is not its answer', () => {
  start(1000, 0);
  answer(990);
  look(1000, 1000);
  expect(reports.isDueSince(990)).toBe(true);
  expect(only('hang')).toEqual([]);
  answer(1010);
  expect(only('hang')).toEqual([[1010, true]]);
});
