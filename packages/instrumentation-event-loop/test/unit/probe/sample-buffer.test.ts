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
  test('returns the samples within the interval, including its bounds, oldest first', () => {
    expect(takenTimes(filled([10, 20, 30, 40]), 20, 30)).toEqual([20, 30]);
  });

  test('removes the returned samples and all older ones', () => {
    const buffer = filled([10, 20, 30, 40]);
    buffer.take(20, 30);
    expect(takenTimes(buffer)).toEqual([40]);
  });

  test('since() returns the samples since a time and keeps them', () => {
    const buffer = filled([10, 20, 30]);
    expect(buffer.since(20).map(({ takenAt }) => takenAt)).toEqual([20, 30]);
    expect(buffer.size).toBe(3);
  });

  test('dropBefore() removes older samples, and keeps one that was taken at that time', () => {
    const buffer = filled([10, 20, 30]);
    buffer.dropBefore(20);
    expect(takenTimes(buffer)).toEqual([20, 30]);
  });
});

describe('the size of the buffer', () => {
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

  test('reaches the capacity before a sample is removed', () => {
    expect(takenTimes(filled(times.slice(0, 64), 64))).toEqual(times.slice(0, 64));
  });

  test('shrinks by every second sample of the older half: the first and the newest stay', () => {
    const kept = takenTimes(filled([0, 1, 2, 3, 4, 5, 6, 7, 8], 8));
    expect(kept).toEqual([0, 2, 4, 5, 6, 7, 8]);
  });

  test('leaves samples of the whole of a long block, in order', () => {
    const kept = takenTimes(filled(times.slice(0, 10_000), 64));
    expect(kept[0]).toBe(0);
    expect(kept.at(-1)).toBe(9999);
    expect(kept).toEqual([...kept].sort((a, b) => a - b));
  });
});
