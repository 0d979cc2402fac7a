import { expect, test } from '@jest/globals';

import { silenceNote } from '../../src/cli/inspect/dump/silence-note.js';
import type { ProcessInfo } from '../../src/cli/platform/platform.js';

const shell = child(12, 'sh', 'S');

function child(pid: number, name: string, state: string): ProcessInfo {
  return {
    pid,
    parentPid: 1,
    processId: pid,
    innerPid: pid,
    name,
    userId: 0,
    executable: '',
    args: state === 'Z' ? [] : [name],
    state,
    cpuMs: 0,
    startedMs: 0,
    ageMs: 0,
    hasExecuted: true,
    catchesSigusr1: undefined,
  };
}

test('a thread that sleeps may wait for a child process, and for none that has ended', () => {
  expect(silenceNote({ cpuShare: 0, isReady: false, children: [child(11, 'client', 'Z'), shell] })).toBe(
    'The main thread does not answer: it is inside a call that V8 cannot interrupt, and sleeps in the kernel. ' +
      'It may wait for its child process 12 (sh), as in execSync.',
  );
});

test('a thread that computes waits for no child process', () => {
  expect(silenceNote({ cpuShare: 0.9, isReady: true, children: [shell] })).toBe(
    'The main thread does not answer: it is inside a call that V8 cannot interrupt, and uses the CPU.',
  );
});

test('a thread that hardly gets a CPU may be in no such call', () => {
  expect(silenceNote({ cpuShare: 0.04, isReady: true, children: [shell] })).toBe(
    'The main thread does not answer: it gets too little of a CPU to answer, or is inside a call that V8 cannot ' +
      'interrupt, and uses the CPU as far as it gets one.',
  );
});

test('where the system does not show what the thread does, it may wait for a child process', () => {
  expect(silenceNote({ cpuShare: undefined, isReady: undefined, children: [shell] })).toBe(
    'The main thread does not answer: it is inside a call that V8 cannot interrupt, and the kernel does not say what ' +
      'it does. It may wait for its child process 12 (sh), as in execSync.',
  );
});
