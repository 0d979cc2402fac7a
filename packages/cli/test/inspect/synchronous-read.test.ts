import { expect, test } from '@jest/globals';

import { parseReadCall } from '../../src/cli/inspect/process/synchronous-read.js';

const REST = '0x2e29d9c0 0x1 0x0 0x0 0xffffffffffffffff 0x7ffdc3e50810 0x7f53718f62ec\n';

test.each([
  ['x64', `0 0x0 ${REST}`, { descriptor: 0 }],
  ['x64', `17 0x1b ${REST}`, { descriptor: 27 }],
  // epoll_pwait, futex and a thread that runs.
  ['x64', `281 0xf ${REST}`, 'other'],
  ['x64', `202 0x7f73d1832140 ${REST}`, 'other'],
  ['x64', 'running\n', 'other'],
  ['x64', '-1 0x7ffdc3e50810 0x7f53718f62ec\n', 'other'],
  ['arm64', `63 0x0 ${REST}`, { descriptor: 0 }],
  // On that architecture, 0 is io_setup.
  ['arm64', `0 0x0 ${REST}`, 'other'],
  // An architecture whose numbers are not known, and a system that does not show the call.
  ['riscv64', `63 0x0 ${REST}`, undefined],
  ['x64', '', undefined],
  ['x64', undefined, undefined],
] as const)('on %s, /proc/PID/syscall %j is the read %j', (architecture, text, expected) => {
  expect(parseReadCall(text, architecture)).toEqual(expected);
});
