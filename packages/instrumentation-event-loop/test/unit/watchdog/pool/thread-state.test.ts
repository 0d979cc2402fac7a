import { describe, expect, test } from '@jest/globals';
import {
  isNetworkCall,
  staticRangeOf,
  threadStateOf,
  waitAddressOf,
} from '../../../../src/watchdog/pool/thread-state.js';

const range = { start: 0x400000, end: 0xa3b0000 };
const idle = '202 0x6b94a68 0x189 0x0 0x0 0x0 0xffffffff 0x7efe 0x7f01\n';

describe('A thread of the pool', () => {
  test('is idle where it waits at a lock in static data', () => {
    expect(threadStateOf(idle, 'x64', range)).toBe('idle');
    expect(threadStateOf('98 0x6b94a68 0x189', 'arm64', range)).toBe('idle');
  });

  test('is in a task where it waits at a lock elsewhere', () => {
    expect(threadStateOf('202 0x7f1e94c10cb0 0x80', 'x64', range)).toBe('futex');
  });

  test('is idle in each wait where the range of static data is not known', () => {
    expect(threadStateOf('202 0x7f1e94c10cb0 0x80', 'x64', undefined)).toBe('idle');
  });

  test('computes where it runs, is ready to run, or waits for memory', () => {
    expect(threadStateOf('running\n', 'x64', range)).toBe('cpu');
    expect(threadStateOf('-1 0x7ffc 0x7f01\n', 'x64', range)).toBe('cpu');
  });

  test.each([
    ['257 0xffffff9c 0x7f', 'x64', 'openat'],
    ['56 0xffffff9c 0x7f', 'arm64', 'openat'],
    ['7 0x7f 0x1', 'x64', 'poll'],
    ['999 0x7f 0x1', 'x64', 'system call 999'],
  ] as const)('%s on %s is in %s', (text, architecture, name) => {
    expect(threadStateOf(text, architecture, range)).toBe(name);
  });

  test.each([
    ['', 'x64'],
    ['garbage 1 2', 'x64'],
    ['202 0x6b94a68', 's390x'],
  ] as const)('is not known from %j on %s', (text, architecture) => {
    expect(threadStateOf(text, architecture, range)).toBeUndefined();
  });
});

test('Waiters of one condition variable have the same address, 4 bytes apart', () => {
  expect(waitAddressOf('202 0x566f9c8 0x189', 'x64', range)).toBe(waitAddressOf('202 0x566f9cc 0x189', 'x64', range));
  expect(waitAddressOf('202 0x2b7f58c0 0x189', 'x64', range)).toBeUndefined();
  expect(waitAddressOf('257 0x566f9c8 0x189', 'x64', range)).toBeUndefined();
});

test('Static data reach from the executable to the heap', () => {
  const maps =
    '00400000-00b6f000 r--p 00000000 fe:00 10   /usr/bin/node\n' +
    '0563e000-0565d000 rw-p 0523d000 fe:00 10   /usr/bin/node\n' +
    '0565d000-05680000 rw-p 00000000 00:00 0 \n' +
    '2b648000-2b90b000 rw-p 00000000 00:00 0    [heap]\n';
  expect(staticRangeOf(maps, '/usr/bin/node')).toEqual({ start: 0x400000, end: 0x2b648000 });
  expect(staticRangeOf(maps, '/opt/node')).toBeUndefined();
  expect(staticRangeOf('', '/usr/bin/node')).toBeUndefined();
});

test('Lookups wait in calls of the network', () => {
  expect(['poll', 'recvmsg', 'connect', 'sendmmsg'].every(isNetworkCall)).toBe(true);
  expect(['openat', 'read', 'cpu', 'idle', 'futex'].some(isNetworkCall)).toBe(false);
});
