import { beforeEach, expect, test } from '@jest/globals';
import type { ThreadTimes } from '../../../../src/contract/model.js';
import { SuspensionFinder } from '../../../../src/watchdog/scan/suspension-finder.js';

let usage: ThreadTimes | undefined;
let suspensions: SuspensionFinder;
/** Whether another thread has run meanwhile. */
let hasOtherRun: boolean;

beforeEach(() => {
  hasOtherRun = false;
  usage = { cpuMs: 100, runQueueMs: 20 };
  suspensions = new SuspensionFinder({ read: () => usage, close: () => undefined });
});

function addUsage(cpuMs: number, runQueueMs: number): void {
  usage = { cpuMs: usage!.cpuMs + cpuMs, runQueueMs: usage!.runQueueMs! + runQueueMs };
}

function wake(plannedAt: number, now: number): number | undefined {
  return suspensions.afterSleep(plannedAt, now, () => hasOtherRun);
}

test('a watchdog that wakes in time finds no suspension', () => {
  suspensions.beforeSleep(0, false);
  expect(wake(1000, 1000)).toBeUndefined();
});

test('a watchdog that is woken early finds no suspension', () => {
  suspensions.beforeSleep(0, false);
  expect(wake(1000, 400)).toBeUndefined();
});

test('a watchdog that is less than 50 ms late finds no suspension: busy machines are that late', () => {
  suspensions.beforeSleep(0, false);
  expect(wake(1000, 1049.9)).toBeUndefined();
});

test('the suspension of a stopped process begins when the watchdog should have woken', () => {
  suspensions.beforeSleep(0, false);
  expect(wake(1000, 31_000)).toBe(1000);
});

test('a watchdog that waited for a CPU finds no suspension: the machine is starved', () => {
  suspensions.beforeSleep(0, false);
  addUsage(0, 900);
  expect(wake(1000, 2000)).toBeUndefined();
});

test('a watchdog that was busy itself finds no suspension', () => {
  suspensions.beforeSleep(0, false);
  addUsage(400, 300);
  expect(wake(1000, 2000)).toBeUndefined();
});

test('a stop with some starvation is a suspension as long as most of it is unexplained', () => {
  suspensions.beforeSleep(0, false);
  addUsage(100, 399);
  expect(wake(1000, 2000)).toBe(1000);
});

test('CPU time from before the sleep does not explain a late wake-up', () => {
  suspensions.beforeSleep(0, false);
  addUsage(5000, 5000);
  suspensions.beforeSleep(1000, false);
  expect(wake(1000, 2000)).toBe(1000);
});

test('while a thread is stalled, what the watchdog worked for its report does not explain a late wake-up', () => {
  suspensions.beforeSleep(0, true);
  addUsage(100, 700);
  suspensions.beforeSleep(900, true);
  addUsage(10, 60);
  suspensions.beforeSleep(980, true);
  expect(wake(1000, 2000)).toBe(1000);
});

test('CPU time alone explains a late wake-up where no run-queue time is reported', () => {
  usage = { cpuMs: 10, runQueueMs: undefined };
  suspensions.beforeSleep(0, false);
  usage = { cpuMs: 10 + 600, runQueueMs: undefined };
  expect(wake(1000, 2000)).toBeUndefined();
});

test.each([
  ['without a reader', new SuspensionFinder(undefined)],
  ['with a reader that fails', new SuspensionFinder({ read: () => undefined, close: () => undefined })],
])('%s, a late wake-up alone is a suspension', (_, blind) => {
  blind.beforeSleep(0, false);
  expect(blind.afterSleep(1000, 1060, () => false)).toBe(1000);
  expect(blind.afterSleep(1000, 1010, () => false)).toBeUndefined();
});

test('the thread times are read about once a second while no wake-up is late, and anew after each late one', () => {
  let reads = 0;
  const counting = new SuspensionFinder({
    read: () => {
      reads++;
      return usage;
    },
    close: () => undefined,
  });
  for (let now = 0; now < 10_000; now += 50) {
    counting.beforeSleep(now, false);
    counting.afterSleep(now + 50, now + 50, () => false);
  }
  expect(reads).toBe(10);
  counting.beforeSleep(10_000, false);
  counting.afterSleep(10_050, 20_000, () => false);
  addUsage(3000, 3000); // between the two sleeps: it must not explain the next one
  counting.beforeSleep(20_001, false);
  expect(counting.afterSleep(20_050, 21_000, () => false)).toBe(20_050);
});

test('a watchdog that slept while another thread ran finds no suspension: its collection waited for helper threads', () => {
  suspensions.beforeSleep(0, false);
  hasOtherRun = true;
  expect(wake(1000, 1250)).toBeUndefined();
});
