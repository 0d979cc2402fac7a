import { expect, test } from '@jest/globals';
import { workspaceNodeMajor } from '@loopwatch/node-binaries';

import { measureThroughput } from '../src/parts/throughput/measure-throughput.ts';
import { throughput } from '../src/settings.ts';
import { seededRandom } from '../src/statistics.ts';

test('a server costs as much CPU per request after an attach as before, within the noise of the measurement', async () => {
  const { later } = await measureThroughput(workspaceNodeMajor, throughput, seededRandom(1));
  // The interval of the change begins below 1 %, or where the control's ends.
  expect(later.attached.low).toBeLessThan(Math.max(0.01, later.control.high));
}, 900_000);
