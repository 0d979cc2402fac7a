import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { heartbeatInterval, suspicionDelay } from '../../../src/detection/heartbeat.js';

const threshold = fc.double({ min: 10, max: 2 ** 31 - 1, noNaN: true });

test.each([
  [10, 5],
  [20, 10],
  [40, 20],
  [100, 50],
  [200, 50],
  [60_000, 50],
])('with a threshold of %i ms the heartbeat beats every %i ms', (thresholdMs, expected) => {
  expect(heartbeatInterval(thresholdMs)).toBe(expected);
});

test('an iteration is suspected from half of the threshold on, where a healthy loop beats within that time', () => {
  expect(suspicionDelay(200)).toBe(100);
  expect(suspicionDelay(1000)).toBe(500);
});

test('a healthy idle loop is never suspected: it beats earlier', () => {
  fc.assert(
    fc.property(threshold, (thresholdMs) => {
      expect(suspicionDelay(thresholdMs)).toBeGreaterThan(heartbeatInterval(thresholdMs));
    }),
  );
});

test('an iteration is suspected before it reaches the threshold', () => {
  fc.assert(
    fc.property(threshold, (thresholdMs) => {
      expect(suspicionDelay(thresholdMs)).toBeLessThan(thresholdMs);
    }),
  );
});
