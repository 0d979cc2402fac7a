import { expect, test } from '@jest/globals';

import { isDebuggerConnected, markPauses } from '../../src/cli/inspect/inspector/pause.js';
import type { ThreadDump } from '../../src/model/processes/dump.js';

const thread: ThreadDump = {
  threadId: 0,
  threadName: 'main',
  state: 'running',
  stack: [],
  atLeastMs: 200,
  cpuShare: 0.02,
  isReady: false,
};
const isMarked = (more: Partial<ThreadDump>, isConnected = true): boolean =>
  markPauses([{ ...thread, ...more }], isConnected)[0]?.mayBePaused === true;

test('a debugger may have paused a thread that sleeps with a stack while one is connected', () => {
  expect(isMarked({})).toBe(true);
  expect(isMarked({}, false)).toBe(false);
  expect(isMarked({ isReady: true })).toBe(false); // it only waits for a CPU
  expect(isMarked({ state: 'waiting' })).toBe(false);
  expect(isMarked({ state: 'idle', atLeastMs: 0 })).toBe(false);
});

test('an inspector that is open has a debugger where a client was connected to it before', () => {
  const inspector = { address: { host: '127.0.0.1', port: 9229, inode: '1' }, url: '', nodeVersion: '', wasOpen: true };
  expect(isDebuggerConnected(inspector, new Set([80, 9229]))).toBe(true);
  expect(isDebuggerConnected(inspector, new Set([80]))).toBe(false);
  expect(isDebuggerConnected({ ...inspector, wasOpen: false }, new Set([9229]))).toBe(false);
});
