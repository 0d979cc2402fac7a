import { describe, expect, test } from '@jest/globals';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import type { Sample } from '../../../src/contract/model.js';
import { sample } from '../support/builders.js';

function at(takenAt: number): Sample {
  return sample([], { takenAt, requestedAt: takenAt });
}

function filled(times: readonly number[], capacity?: number): SampleBuffer {
  const buffer = new SampleBuffer(capacity);
  for (const time of times) buffer.add(at(time));
  return buffer;
}

function takenTimes(buffer: SampleBuffer, start = -Infinity, end = Infinity): number[] {
  return buffer.take(start, end).map(({ takenAt }) => takenAt);
}

describe('the buffer', () => {
  test('hands out the samples within the stretch, its bounds among them, oldest first', () => {
    expect(takenTimes(filled([10, 20, 30, 40]), 20, 30)).toEqual([20, 30]);
  });

  test('forgets what it has handed out and all that is older', () => {
    const buffer = filled([10, 20, 30, 40]);
    buffer.take(20, 30);
    expect(takenTimes(buffer)).toEqual([40]);
  });

  test('looking at the samples since a moment leaves them', () => {
    const buffer = filled([10, 20, 30]);
    expect(buffer.since(20).map(({ takenAt }) => takenAt)).toEqual([20, 30]);
    expect(buffer.size).toBe(3);
  });

  test('dropping forgets what is older, and keeps what was taken at that very moment', () => {
    const buffer = filled([10, 20, 30]);
    buffer.dropBefore(20);
    expect(takenTimes(buffer)).toEqual([20, 30]);
  });
});

describe('its size', () => {
  const times = Array.from({ length: 100_000 }, (_, i) => i);

  test('is bounded', () => {
    const buffer = new SampleBuffer(64);
    let largest = 0;
    for (const time of times) {
      buffer.add(at(time));
      largest = Math.max(largest, buffer.size);
    }
    expect(largest).toBeLessThanOrEqual(64);
  });

  test('holds as many as it is made for before any goes', () => {
    expect(takenTimes(filled(times.slice(0, 64), 64))).toEqual(times.slice(0, 64));
  });

  test('thins the older half, and keeps the first and the newest', () => {
    const kept = takenTimes(filled([0, 1, 2, 3, 4, 5, 6, 7, 8], 8));
    expect(kept).toEqual([0, 2, 4, 5, 6, 7, 8]);
  });

  test('keeps samples of the whole of a long block, in order', () => {
    const kept = takenTimes(filled(times.slice(0, 10_000), 64));
    expect(kept[0]).toBe(0);
    expect(kept.at(-1)).toBe(9999);
    expect(kept).toEqual([...kept].sort((a, b) => a - b));
  });
});
