import { readlinkSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openPollState, parseSystemCall } from '../../../../src/watchdog/scan/poll-state.js';

describe("the kernel's text", () => {
  test.each([
    ['epoll_pwait on x64', '281 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8 0x7ffd 0x7f1c\n', 'x64', { descriptor: 13 }],
    ['epoll_wait on x64', '232 0x1f 0x7ffd5b0 0x400 0xffffffff 0x0 0x8 0x7ffd 0x7f1c\n', 'x64', { descriptor: 31 }],
    ['epoll_pwait on arm64', '22 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8 0x7ffd 0x7f1c\n', 'arm64', { descriptor: 13 }],
    ['the number of another machine', '22 0xd 0x7ffd5b0 0x400 0x1f4 0x0 0x8\n', 'x64', 'elsewhere'],
    ['a futex', '202 0x2c916180 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f\n', 'x64', 'elsewhere'],
    ['a thread on a CPU', 'running\n', 'x64', 'elsewhere'],
    ['a thread that is blocked in no system call', '-1 0x7ffd5b0 0x7f1c\n', 'x64', 'elsewhere'],
    ['a poll without arguments', '281\n', 'x64', 'elsewhere'],
    ['nothing', '', 'x64', 'unseen'],
    ['something else', 'not a system call\n', 'x64', 'unseen'],
    ['a machine whose numbers are not known', '281 0xd 0x7ffd5b0\n', 's390x', 'unseen'],
  ] as const)('is parsed: %s', (_, text, architecture, state) => {
    expect(parseSystemCall(text, architecture)).toEqual(state);
  });

  test('of any shape throws nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['elsewhere', 'unseen', 'object']).toContain(
          typeof parseSystemCall(text, 'x64') === 'object' ? 'object' : parseSystemCall(text, 'x64'),
        );
      }),
    );
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a thread sees itself, and it does not poll', () => {
  const ownId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  const reader = openPollState(ownId);
  expect(reader.read()).toBe('elsewhere');
  reader.close();
  expect(reader.read()).toBe('unseen');
  reader.close();
});

test('a thread that is not there is not seen', () => {
  const reader = openPollState(999_999_999);
  expect(reader.read()).toBe('unseen');
  reader.close();
});
