import { beforeEach, describe, expect, test } from '@jest/globals';
import { BYTE_LENGTH, SlotTime } from '../../../../src/contract/registry-layout.js';
import { Registry } from '../../../../src/contract/registry.js';
import type { StalledThread } from '../../../../src/contract/stalled-thread.js';
import { StallReports } from '../../../../src/watchdog/scan/stall-reports.js';

/** What was reported, with the age of the block and whether the thread had answered. */
let reported: [string, number, boolean][];
let reports: StallReports;

function start(hangAfterMs: number, soFarAfterMs: number): void {
  reported = [];
  const note =
    (what: string) =>
    ({ ageMs, hangReports }: StalledThread): void => {
      reported.push([what, ageMs, hangReports !== undefined]);
    };
  const registry = new Registry(new SharedArrayBuffer(BYTE_LENGTH));
  const slot = registry.slot(0);
  slot.setTime(SlotTime.hangAfterMs, hangAfterMs);
  slot.setTime(SlotTime.soFarAfterMs, soFarAfterMs);
  reports = new StallReports(registry, slot, 0, {
    onStalled: note('gauge'),
    onLength: note('length'),
    onSoFar: note('soFar'),
    onHang: (thread) => {
      note('hang')(thread);
      return new Uint8Array(24);
    },
  });
}

/** The watchdog looks every 20 ms, until that age. */
function look(fromMs: number, toMs: number): void {
  for (let ageMs = fromMs; ageMs <= toMs; ageMs += 20) reports.reportDue(ageMs, ageMs);
}

function answer(ageMs: number): void {
  reports.setHangReports('[]');
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

  test('has no length any more when the thread has recovered', () => {
    look(20, 320);
    reports.recover();
    expect(only('length').map(([ageMs]) => ageMs)).toEqual([100, 200, 300, 0]);
    expect(only('gauge')).toEqual([]);
  });
});

test('a hang that the thread does not answer is reported once, until the next is due', () => {
  start(1000, 0);
  look(20, 1900);
  expect(only('hang')).toEqual([[1260, false]]);
  expect(only('soFar')).toEqual([]);
});
