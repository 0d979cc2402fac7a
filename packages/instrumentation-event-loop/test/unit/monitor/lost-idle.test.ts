import { expect, test } from '@jest/globals';
import { withoutLostIdle } from '../../../src/monitor/lost-idle.js';
import { busyPeriod, frame, reading, sampleAt } from '../support/builders.js';

const work = frame('shutDown');

/** From 1000 to 2000; the thread used `usedMs` of CPU. */
function period(usedMs: number, samples = [] as ReturnType<typeof sampleAt>[]) {
  return busyPeriod({
    end: 2000,
    samples,
    before: reading(1000, 50, 200, 10),
    after: reading(2000, 50, 200 + usedMs, 10),
  });
}

test('a thread that was not seen polling in the period keeps its start', () => {
  expect(withoutLostIdle(period(3), 1000)).toEqual(period(3));
  expect(withoutLostIdle(period(3), 0)).toEqual(period(3));
  expect(withoutLostIdle(period(3), 2000)).toEqual(period(3));
});

test('without samples, the work is as long as its CPU time', () => {
  expect(withoutLostIdle(period(60), 1800).start).toBe(1940);
});

test('the time that is removed is known as idle', () => {
  expect(withoutLostIdle(period(60), 1800)).toMatchObject({ start: 1940, lostIdleMs: 940 });
  expect(withoutLostIdle(period(900), 1800)).toMatchObject({ start: 1800, lostIdleMs: 800 });
});

test('the work does not begin before the thread was last seen polling', () => {
  expect(withoutLostIdle(period(900), 1800).start).toBe(1800);
});

test('without thread times, the work begins when the thread was last seen polling', () => {
  expect(withoutLostIdle(busyPeriod({ end: 2000, before: undefined }), 1800).start).toBe(1800);
});

test('work that runs is as long as its CPU time also when it was sampled', () => {
  expect(withoutLostIdle(period(400, [sampleAt(1700, [work]), sampleAt(1900, [work])]), 1550).start).toBe(1600);
});

test('a call that sleeps began between the last poll and the first sample', () => {
  expect(withoutLostIdle(period(2, [sampleAt(1700, [work])]), 1600).start).toBe(1650);
});
