import { expect, test } from '@jest/globals';

import { addPoolWait } from '../../src/cli/store/pool-waits.js';
import type { PoolWait } from '../../src/model/thread-pool.js';

const wait: PoolWait = { instance: '1', startMs: 1000, durationMs: 5000, ended: false, holders: [], queued: [] };

test('A wait that lasts is one wait, as long as its last report says', () => {
  const poolWaits: PoolWait[] = [];
  addPoolWait({ poolWaits }, wait);
  addPoolWait({ poolWaits }, { ...wait, startMs: 1001, durationMs: 6500, ended: true });
  addPoolWait({ poolWaits }, { ...wait, instance: '2' });
  addPoolWait({ poolWaits }, { ...wait, startMs: 20_000, durationMs: 300 });
  expect(poolWaits.map(({ instance, durationMs, ended }) => [instance, durationMs, ended])).toEqual([
    ['1', 6500, true],
    ['2', 5000, false],
    ['1', 300, false],
  ]);
});

test('Further waits than a thousand are not kept', () => {
  const poolWaits: PoolWait[] = [];
  for (let n = 0; n < 1500; n++) addPoolWait({ poolWaits }, { ...wait, startMs: n * 1000 });
  expect(poolWaits).toHaveLength(1000);
});
