import { describe, expect, test } from '@jest/globals';

import { toShared } from '../../../../src/contract/clock.js';
import { Registry } from '../../../../src/contract/registry.js';
import { SlotInt } from '../../../../src/contract/registry-layout.js';
import { looksWithin } from '../../../../src/contract/thread-looks.js';
import { LooksRecorder } from '../../../../src/watchdog/scan/looks-recorder.js';
import type { CpuSplit } from '../../../../src/watchdog/scan/cpu-split.js';
import type { PollState } from '../../../../src/watchdog/scan/poll-state.js';

const OS_THREAD_ID = 4711;

function recorderOf(states: PollState[], splits: CpuSplit[] = []) {
  const slot = new Registry().claim(1, 'worker')!;
  slot.setInt(SlotInt.osThreadId, OS_THREAD_ID);
  const opened: number[] = [];
  let openCount = 0;
  const open =
    <T>(read: () => T) =>
    (osThreadId: number) => {
      opened.push(osThreadId);
      openCount++;
      return { read, close: () => openCount-- };
    };
  const readState = (): PollState => states.shift() ?? 'unseen';
  const recorder = new LooksRecorder(
    slot,
    open(readState),
    open(() => splits.shift()),
  );
  return { slot, recorder, opened, openCount: () => openCount };
}

describe('the looks at a stalled thread', () => {
  test('count how often it is ready to run, and how often it sleeps or polls', () => {
    const { slot, recorder } = recorderOf(['running', 'elsewhere', { descriptor: 3 }, 'running', 'running', 'unseen']);
    recorder.restart(toShared(1100));
    for (let at = 1100; at <= 1150; at += 10) recorder.look(toShared(at));
    expect(looksWithin({ start: 1000, end: 1200 }, slot)).toEqual({ runnable: 3, asleep: 2, inLock: 0 });
  });

  test('count apart how often it sleeps in a lock', () => {
    const { slot, recorder } = recorderOf(['lock', 'elsewhere', 'lock', 'running']);
    recorder.restart(toShared(1100));
    for (let at = 1100; at <= 1130; at += 10) recorder.look(toShared(at));
    expect(looksWithin({ start: 1000, end: 1200 }, slot)).toEqual({ runnable: 1, asleep: 3, inLock: 2 });
  });

  test('are 5 ms apart at least', () => {
    const { slot, recorder } = recorderOf(['running', 'running', 'running']);
    recorder.restart(toShared(1100));
    for (let at = 1100; at < 1110; at++) recorder.look(toShared(at));
    expect(looksWithin({ start: 1000, end: 1200 }, slot)).toEqual({ runnable: 2, asleep: 0, inLock: 0 });
  });

  test('are of one stall', () => {
    const { slot, recorder } = recorderOf(['elsewhere', 'running']);
    recorder.restart(toShared(1100));
    recorder.look(toShared(1100));
    recorder.restart(toShared(1500));
    recorder.look(toShared(1501));
    expect(looksWithin({ start: 1400, end: 1600 }, slot)).toEqual({ runnable: 1, asleep: 0, inLock: 0 });
    expect(looksWithin({ start: 1000, end: 1200 }, slot)).toBeUndefined();
    expect(looksWithin({ start: 1700, end: 1900 }, slot)).toBeUndefined();
  });

  test('record the share of the kernel in the CPU time since the first of them', () => {
    const splits = [0, 2, 4, 6].map((system) => ({ user: 100 + system / 2, system }));
    const { slot, recorder } = recorderOf([], splits);
    const shareAt = (at: number): number | undefined => {
      recorder.look(toShared(at));
      return looksWithin({ start: 1000, end: 1200 }, slot)?.systemShare;
    };
    recorder.restart(toShared(1100));
    expect([1100, 1110, 1120, 1130].map(shareAt)).toEqual([undefined, undefined, 2 / 3, 2 / 3]);
    expect(shareAt(1140)).toBeUndefined();
    recorder.restart(toShared(1150));
    expect(shareAt(1150)).toBeUndefined();
  });

  test('are unknown without a slot, or before the first stall', () => {
    expect(looksWithin({ start: 0, end: 100 }, undefined)).toBeUndefined();
    expect(looksWithin({ start: 0, end: 100 }, recorderOf([]).slot)).toBeUndefined();
  });

  test('open the files of the thread once, and close them', () => {
    const { recorder, opened, openCount } = recorderOf(['running', 'running']);
    recorder.close();
    recorder.look(0);
    recorder.look(10);
    expect([opened, openCount()]).toEqual([[OS_THREAD_ID, OS_THREAD_ID], 2]);
    recorder.close();
    expect(openCount()).toBe(0);
  });
});
