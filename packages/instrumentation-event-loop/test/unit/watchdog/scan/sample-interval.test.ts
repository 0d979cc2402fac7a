import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sampleInterval } from '../../../../src/watchdog/scan/sample-interval.js';

function samplesOf(blockMs: number, intervalMs: number): number {
  let count = 0;
  for (let ageMs = 0; ageMs < blockMs; ageMs += sampleInterval(ageMs, intervalMs)) count++;
  return count;
}

test('a young block is sampled as often as the option says', () => {
  expect(sampleInterval(0, 10)).toBe(10);
  expect(sampleInterval(200, 10)).toBe(10);
});

test('an older block is sampled less often, and one of minutes still once a second', () => {
  expect(sampleInterval(1000, 10)).toBe(50);
  expect(sampleInterval(600_000, 10)).toBe(1000);
});

test('a block of 20 s costs a bounded number of samples', () => {
  // Dense for 200 ms, then a factor of 1.05 from each to the next.
  expect(samplesOf(20_000, 10)).toBeLessThan(20 + Math.log(100) / Math.log(1.05) + 2);
});

test('each doubling of a block costs the same few samples, until they come once a second', () => {
  const costs = [400, 800, 1600, 3200, 6400].map((ms) => samplesOf(2 * ms, 10) - samplesOf(ms, 10));
  expect(Math.max(...costs) - Math.min(...costs)).toBeLessThanOrEqual(2);
});

test('the interval never shrinks while a block lasts, and stays between the option and the longest of both', () => {
  const age = fc.double({ min: 0, max: 1e9, noNaN: true });
  const interval = fc.double({ min: 1, max: 900, noNaN: true });
  fc.assert(
    fc.property(age, age, interval, (a, b, intervalMs) => {
      const [younger, older] = a < b ? [a, b] : [b, a];
      const early = sampleInterval(younger, intervalMs);
      const late = sampleInterval(older, intervalMs);
      expect(late).toBeGreaterThanOrEqual(early);
      expect(early).toBeGreaterThanOrEqual(intervalMs);
      expect(late).toBeLessThanOrEqual(1000);
    }),
  );
});

test('an option above a second is kept: nobody is asked more often than was wished', () => {
  expect(sampleInterval(0, 5000)).toBe(5000);
});
