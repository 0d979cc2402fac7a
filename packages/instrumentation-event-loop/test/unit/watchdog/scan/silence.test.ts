import { execFile, spawnSync, type ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ownThreadId } from '../../../../src/contract/thread-times.js';
import type { ThreadTimes } from '../../../../src/contract/model.js';
import { BYTE_LENGTH, SlotInt } from '../../../../src/contract/registry-layout.js';
import { Registry } from '../../../../src/contract/registry.js';
import type { Slot } from '../../../../src/contract/slots.js';
import { SilenceReader } from '../../../../src/watchdog/scan/silence.js';

let slot: Slot;
let times: ThreadTimes | undefined;
let processMs: number;
let reader: SilenceReader;

beforeEach(() => {
  slot = new Registry(new SharedArrayBuffer(BYTE_LENGTH)).slot(0);
  times = { cpuMs: 100, runQueueMs: 10 };
  processMs = 100;
  reader = new SilenceReader(
    slot,
    () => times,
    () => true,
    () => processMs,
  );
  reader.restart(50, 0);
});

function looks(runnable: number, asleep: number, locked = 0): void {
  slot.setInt(SlotInt.runnableLooks, runnable);
  slot.setInt(SlotInt.sleepingLooks, asleep);
  slot.setInt(SlotInt.lockedLooks, locked);
}

describe('a thread that does not answer', () => {
  test('and sleeps is waiting, with the CPU time that it had used before', () => {
    times = { cpuMs: 140, runQueueMs: 20 };
    reader.onAsked(60);
    looks(0, 9);
    expect(reader.silence(1000, undefined, 1000)).toEqual({
      cause: 'waiting',
      cpuMs: 40,
      runQueueMs: 10,
      answerAgeMs: undefined,
      childProcesses: [],
    });
  });

  test('and computes is in a native call', () => {
    reader.onAsked(60);
    times = { cpuMs: 1000, runQueueMs: 10 };
    expect(reader.silence(1000, undefined, 1000)).toMatchObject({ cause: 'native', cpuMs: 900, runQueueMs: 0 });
  });

  test.each([
    ['and computes while other threads compute half as much may be in a collection', 1350, 'unknown'],
    ['and computes while other threads compute less than half as much is in a native call', 1349, 'native'],
  ])('%s', (_, processMsNow, expected) => {
    reader.onAsked(60);
    times = { cpuMs: 1000, runQueueMs: 10 };
    processMs = processMsNow + 100;
    expect(reader.silence(1000, undefined, 1000).cause).toBe(expected);
  });

  test.each([
    ['and sleeps in a lock most of the time may wait for V8 to collect', 5, 'unknown'],
    ['and sleeps in a lock for half of the time is waiting', 4, 'waiting'],
  ])('%s', (_, locked, expected) => {
    reader.onAsked(60);
    looks(0, 8, locked);
    expect(reader.silence(1000, undefined, 1000).cause).toBe(expected);
  });

  test('is unknown where it has done so for less than half of the block', () => {
    times = { cpuMs: 700, runQueueMs: 10 };
    reader.onAsked(600);
    times = { cpuMs: 1100, runQueueMs: 10 };
    expect(reader.silence(1000, 590, 1000)).toMatchObject({ cause: 'unknown', cpuMs: 1000, answerAgeMs: 410 });
  });

  test('is unknown where the kernel shows nothing', () => {
    times = undefined;
    reader.restart(50, 0);
    reader.onAsked(60);
    expect(reader.silence(1000, undefined, 1000)).toMatchObject({
      cause: 'unknown',
      cpuMs: undefined,
      runQueueMs: undefined,
    });
  });

  test('has no times where the watchdog has looked for less than nearly all of the block', () => {
    reader.restart(300, 0);
    reader.onAsked(310);
    times = { cpuMs: 800, runQueueMs: 10 };
    expect(reader.silence(1000, undefined, 1000)).toMatchObject({ cause: 'native', cpuMs: undefined });
  });

  test('and waits for a CPU may answer yet', () => {
    reader.onAsked(60);
    times = { cpuMs: 110, runQueueMs: 800 };
    expect(reader.state(1000)).toBe('queued');
    expect(reader.silence(1000, undefined, 1000).cause).toBe('unknown');
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

describe('the child processes of a sleeping thread', () => {
  let old: ChildProcess;
  let child: ChildProcess;
  let startedAt: number;

  beforeEach(async () => {
    slot.setInt(SlotInt.osThreadId, ownThreadId());
    old = execFile('sleep', ['60']);
    spawnSync('sleep', ['0.3']);
    startedAt = performance.now();
    child = execFile('sleep', ['60']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = performance.now();
    reader.restart(now, startedAt);
    reader.onAsked(now);
    looks(0, 9);
  });
  afterEach(() => {
    old.kill();
    child.kill();
  });

  const childProcesses = (suspendedMs: number): readonly string[] => {
    const now = performance.now();
    return reader.silence(now - startedAt - suspendedMs, undefined, now).childProcesses;
  };

  onLinux('are those that it has started in the block, and none from before', () => {
    expect(childProcesses(0)).toEqual([`sleep (${child.pid})`]);
  });

  onLinux('stay known where the process was suspended since, which is no part of the age of the block', () => {
    expect(childProcesses(45)).toEqual([`sleep (${child.pid})`]);
  });
});
