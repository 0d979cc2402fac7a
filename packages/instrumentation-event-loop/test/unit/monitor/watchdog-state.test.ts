import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';

import { Header } from '../../../src/contract/registry-layout.ts';
import { Registry } from '../../../src/contract/registry.ts';
import { awaitClosedSessions } from '../../../src/monitor/watchdog-state.ts';

let watchdog: Worker | undefined;
afterEach(() => watchdog?.terminate());

test('an exit waits for a watchdog that has no CPU for some time: Node.js would wait as long, and write a line', async () => {
  const registry = new Registry();
  Atomics.store(registry.ints, Header.openSessions, 1);
  const workerData = { ints: registry.ints, exiting: Header.exiting, openSessions: Header.openSessions };
  watchdog = new Worker(closesLate, { eval: true, workerData });
  await new Promise((resolve) => watchdog?.once('online', resolve));
  awaitClosedSessions(registry);
  expect(Atomics.load(registry.ints, Header.openSessions)).toBe(0);
});

const closesLate = `
  const { ints, exiting, openSessions } = require('node:worker_threads').workerData;
  Atomics.wait(ints, exiting, 0, 100);
  const starvedUntil = performance.now() + 600;
  while (performance.now() < starvedUntil);
  Atomics.store(ints, openSessions, 0);
  Atomics.notify(ints, openSessions);
`;
