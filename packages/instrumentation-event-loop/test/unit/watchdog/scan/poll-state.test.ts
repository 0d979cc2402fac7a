import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openPollState, parseSystemCall, type PollState } from '../../../../src/watchdog/scan/poll-state.js';

describe('the system call of a thread', () => {
  test.each([
    ['epoll_pwait on x64', '281 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8 0x7ffd 0x7f1c\n', 'x64', { descriptor: 13 }],
    ['epoll_wait on x64', '232 0x1f 0x7ffd5b0 0x400 0xffffffff 0x0 0x8 0x7ffd 0x7f1c\n', 'x64', { descriptor: 31 }],
    ['epoll_pwait on arm64', '22 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8 0x7ffd 0x7f1c\n', 'arm64', { descriptor: 13 }],
    ['the number of another architecture', '22 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8\n', 'x64', 'elsewhere'],
    ['a futex', '202 0x2c916180 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f\n', 'x64', 'lock'],
    ['a futex on another architecture', '98 0x2c916180 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f\n', 'arm64', 'lock'],
    ['a thread on a CPU', 'running\n', 'x64', 'running'],
    ['a thread that waits for memory, in no system call', '-1 0x7ffd5b0 0x7f1c\n', 'x64', 'lock'],
    ['a poll without arguments', '281\n', 'x64', 'elsewhere'],
    ['an empty text', '', 'x64', 'unseen'],
    ['another text', 'not a system call\n', 'x64', 'unseen'],
    ['an architecture whose numbers are not known', '281 0xd 0x7ffd5b0\n', 's390x', 'unseen'],
  ] as const)('is parsed: %s', (_, text, architecture, state) => {
    expect(parseSystemCall(text, architecture)).toEqual(state);
  });

  test('is parsed from any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['running', 'lock', 'elsewhere', 'unseen', 'object']).toContain(
          typeof parseSystemCall(text, 'x64') === 'object' ? 'object' : parseSystemCall(text, 'x64'),
        );
      }),
    );
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a thread that reads its own state does not poll', () => {
  const ownId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  const reader = openPollState(ownId);
  expect(reader.read()).toBe('elsewhere'); // it is in the system call that reads
  reader.close();
  expect(reader.read()).toBe('unseen');
  reader.close();
});

onLinux('a thread is seen polling each time that it polls, and not when it does something else', async () => {
  const worker = new Worker(
    `const { readlinkSync } = require('node:fs');
     const { parentPort } = require('node:worker_threads');
     parentPort.on('message', (shared) => Atomics.wait(shared, 0, 0));
     parentPort.postMessage(Number(readlinkSync('/proc/thread-self').split('/').at(-1)));`,
    { eval: true, execArgv: [] },
  );
  const [osThreadId] = (await once(worker, 'message')) as [number];
  const reader = openPollState(osThreadId);
  const stateOnceIts = async (isMeant: (state: PollState) => boolean): Promise<PollState> => {
    for (;;) {
      const state = reader.read();
      if (isMeant(state)) return state;
      await sleep(5);
    }
  };
  const isPolling = (state: PollState): boolean => typeof state === 'object';
  const first = await stateOnceIts(isPolling);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage(shared);
  expect(await stateOnceIts((state) => state === 'lock')).toBe('lock');
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  expect(await stateOnceIts(isPolling)).toEqual(first);
  reader.close();
  await worker.terminate();
});

test('a thread that does not exist is unseen', () => {
  const reader = openPollState(999_999_999);
  expect(reader.read()).toBe('unseen');
  reader.close();
});
