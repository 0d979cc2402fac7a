import { beforeEach, expect, test } from '@jest/globals';
import type { ThreadTimes } from '../../../../src/contract/model.js';
import { SuspensionFinder } from '../../../../src/watchdog/scan/suspension-finder.js';

let usage: ThreadTimes | undefined;
let suspensions: SuspensionFinder;

beforeEach(() => {
  usage = { cpuMs: 100, runQueueMs: 20 };
  suspensions = new SuspensionFinder({ read: () => usage, close: () => undefined });
});

function addUsage(cpuMs: number, runQueueMs: number): void {
  usage = { cpuMs: usage!.cpuMs + cpuMs, runQueueMs: usage!.runQueueMs! + runQueueMs };
}

test('a watchdog that wakes in time saw no gap', () => {
  suspensions.beforeSleep(0);
  expect(suspensions.afterSleep(1000, 1000)).toBeUndefined();
});

test('a watchdog that wakes early, because it was woken, saw no gap', () => {
  suspensions.beforeSleep(0);
  expect(suspensions.afterSleep(1000, 400)).toBeUndefined();
});

test('less than 50 ms late is how busy machines are', () => {
  suspensions.beforeSleep(0);
  expect(suspensions.afterSleep(1000, 1049.9)).toBeUndefined();
});

test('a process that was stopped has a gap from when the watchdog wanted to wake', () => {
  suspensions.beforeSleep(0);
  expect(suspensions.afterSleep(1000, 31_000)).toBe(1000);
});

test('a watchdog that waited for a CPU saw a starved machine and no gap', () => {
  suspensions.beforeSleep(0);
  addUsage(0, 900);
  expect(suspensions.afterSleep(1000, 2000)).toBeUndefined();
});

test('a watchdog that was busy itself saw no gap', () => {
  suspensions.beforeSleep(0);
  addUsage(400, 300);
  expect(suspensions.afterSleep(1000, 2000)).toBeUndefined();
});

test('a stop with some starvation in it is a gap as long as most of it is unaccounted for', () => {
  suspensions.beforeSleep(0);
  addUsage(100, 399);
  expect(suspensions.afterSleep(1000, 2000)).toBe(1000);
});

test('what was used before the sleep does not excuse it', () => {
  suspensions.beforeSleep(0);
  addUsage(5000, 5000);
  suspensions.beforeSleep(1000);
  expect(suspensions.afterSleep(1000, 2000)).toBe(1000);
});

test('where no run-queue time is told, CPU time alone counts', () => {
  usage = { cpuMs: 10, runQueueMs: undefined };
  suspensions.beforeSleep(0);
  usage = { cpuMs: 10 + 600, runQueueMs: undefined };
  expect(suspensions.afterSleep(1000, 2000)).toBeUndefined();
});

test.each([
  ['without a reader', new SuspensionFinder(undefined)],
  ['with a reader that fails', new SuspensionFinder({ read: () => undefined, close: () => undefined })],
])('%s, a late wake-up alone is a suspension', (_, blind) => {
  blind.beforeSleep(0);
  expect(blind.afterSleep(1000, 1060)).toBe(1000);
  expect(blind.afterSleep(1000, 1010)).toBeUndefined();
});

test('the scheduler is asked about once a second while nothing is late, and anew after each lateness', () => {
  let reads = 0;
  const counting = new SuspensionFinder({
    read: () => {
      reads++;
      return usage;
    },
    close: () => undefined,
  });
  for (let now = 0; now < 10_000; now += 50) {
    counting.beforeSleep(now);
    counting.afterSleep(now + 50, now + 50);
  }
  expect(reads).toBe(10);
  counting.beforeSleep(10_000);
  counting.afterSleep(10_050, 20_000);
  addUsage(3000, 3000); // between the two: it must not excuse the next
  counting.beforeSleep(20_001);
  expect(counting.afterSleep(20_050, 21_000)).toBe(20_050);
});
