import { expect, test } from '@jest/globals';

import type { ChannelRecord } from '../../src/channel/contract.js';
import { createLagMeterProvider } from '../../src/preload/records/lag-meter.js';

type LagPoint = Extract<ChannelRecord, { type: 'lag' }>['point'];

function lagMeter() {
  const points: LagPoint[] = [];
  const meter = createLagMeterProvider('1', (record) => {
    if (record.type === 'lag') points.push(record.point);
  });
  const lag = meter.provider.getMeter('test').createHistogram('event_loop.lag', {
    advice: { explicitBucketBoundaries: [0.01, 0.1, 1] },
  });
  return {
    lag,
    flush: () => {
      meter.flush();
    },
    points,
  };
}

test('small lags are written once a second, not one by one', () => {
  const { lag, flush, points } = lagMeter();
  for (let i = 0; i < 100; i++) lag.record(0.002);
  expect(points).toEqual([]);
  flush();
  expect(points).toMatchObject([{ counts: [100, 0, 0, 0], maxMs: 2 }]);
});

test('the lag of a block is written at once: the process may be killed in the same second', () => {
  const { lag, points } = lagMeter();
  lag.record(0.002);
  for (let ms = 1500; ms > 0; ms -= 20) lag.record(ms / 1000);
  expect(Math.max(...points.map(({ maxMs = 0 }) => maxMs))).toBe(1500);
  // 1,500 to 100 ms, and what came before.
  const written = points.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
  expect(written).toBeGreaterThanOrEqual(71);
  expect(points).toHaveLength(2);
});
