import fs from 'node:fs';
import type dns from 'node:dns';
import type { PoolLane } from '../../contract/thread-pool-data.js';
import { requireNode } from '../require-node.js';

// Taken when the module loads, so that file-system mocks in the application's tests do not replace it.
const { stat } = fs;

/** An IPv4 address in a short form: the system's resolver parses it without a file or the network. */
const SHORT_ADDRESS = '127.1';

/** Queues a task of no work in libuv's pool and calls back when it has run. */
export function askPool(lane: PoolLane, onRan: () => void): void {
  if (lane === 'any') {
    stat('/', onRan);
  } else {
    (requireNode('node:dns') as typeof dns).lookup(SHORT_ADDRESS, { family: 4 }, onRan);
  }
}
