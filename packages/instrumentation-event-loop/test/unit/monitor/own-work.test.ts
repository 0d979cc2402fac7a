import { describe, expect, test } from '@jest/globals';
import { OwnWork } from '../../../src/monitor/own-work.js';

describe('the work of this package', () => {
  test('is known with its time, also when it throws', () => {
    let now = 100;
    const ownWork = new OwnWork(() => now);
    ownWork.during(() => (now += 30));
    now = 500;
    expect(() => {
      ownWork.during(() => {
        now += 20;
        throw new Error('a broken exporter');
      });
    }).toThrow('a broken exporter');
    expect(ownWork.intervals).toEqual([
      { start: 100, end: 130 },
      { start: 500, end: 520 },
    ]);
  });

  test('is not kept where it delays nothing, and otherwise for a bounded number of times', () => {
    let now = 0;
    const ownWork = new OwnWork(() => now);
    ownWork.during(() => (now += 0.5));
    expect(ownWork.intervals).toEqual([]);
    expect(ownWork.totalMs).toBe(0.5);
    for (let i = 0; i < 1000; i++) ownWork.during(() => (now += 5));
    expect(ownWork.intervals).toHaveLength(32);
    expect(ownWork.intervals.at(-1)?.end).toBe(now);
  });

  // A process that ends itself in a block reports it in that callback, and the watchdog asks who runs.
  test('is known up to now while it lasts', () => {
    let now = 100;
    const ownWork = new OwnWork(() => now);
    ownWork.during(() => {
      now += 300;
      expect(ownWork.intervals).toEqual([{ start: 100, end: 400 }]);
      now += 50;
    });
    now += 1000;
    expect(ownWork.intervals).toEqual([{ start: 100, end: 450 }]);
  });

  test('is counted once where it is a part of other such work', () => {
    let now = 0;
    const ownWork = new OwnWork(() => now);
    ownWork.during(() => {
      now += 5;
      ownWork.during(() => (now += 10));
      now += 5;
    });
    ownWork.during(() => (now += 2));
    expect(ownWork.intervals).toEqual([
      { start: 0, end: 20 },
      { start: 20, end: 22 },
    ]);
    expect(ownWork.totalMs).toBe(22);
  });
});
