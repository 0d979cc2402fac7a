import { expect, test } from '@jest/globals';
import pc from 'picocolors';

import { dumpLines } from '../../src/cli/terminal/dump-view.js';
import { listColumns, processLines } from '../../src/cli/terminal/process-list.js';
import type { ProcessDump, ThreadDump } from '../../src/model/processes/dump.js';
import { dumpSentence } from '../../src/model/processes/dump-sentence.js';

const style = { colors: pc.createColors(false), columns: Infinity, directory: '/app' };
const frame = { lineNumber: 17, columnNumber: 5, isAsync: false };

test('a dump shows each thread with its state, request and stack', () => {
  const dump: ProcessDump = {
    pid: 4711,
    command: 'node server.js',
    nodeVersion: 'v24.1.0',
    ageMs: 90_000,
    cpuMs: 61_000,
    takenMs: 0,
    threads: [
      {
        threadId: 0,
        threadName: 'main',
        state: 'running',
        stack: [
          { ...frame, functionName: 'createSpans', filePath: '/app/src/view.js' },
          { ...frame, functionName: '', filePath: '/app/src/view.js' },
          { ...frame, functionName: 'Array.map', filePath: '', lineNumber: 0 },
          { ...frame, functionName: 'handle', filePath: '/app/node_modules/express/index.js', isAsync: true },
        ],
        request: { name: 'GET /runs/:id', traceId: 'abc', ageMs: 12_300 },
        atLeastMs: 210,
        cpuShare: 0.98,
      },
      { threadId: 3, threadName: 'pool', state: 'idle', stack: [], atLeastMs: 0, cpuShare: 0 },
      { threadId: 4, threadName: 'worker', state: 'no_answer', stack: [], atLeastMs: 0 },
    ],
    notes: ['The inspector stays open.'],
  };
  expect(dumpLines(dump, style)).toEqual([
    'Process 4711  node server.js',
    'Node.js v24.1.0, runs for 90.00 s, CPU 61.00 s',
    '',
    'main thread: runs for at least 210 ms, CPU 98 %',
    '    in GET /runs/:id, which began 12.30 s ago (trace abc)',
    '    at createSpans (src/view.js:17)',
    '    at <anonymous> (src/view.js:17)',
    '    at Array.map',
    '    at async handle (express/index.js:17)',
    '',
    'worker 3 pool: idle, waits for events, CPU 0.0 %',
    '',
    'worker 4 worker: inside a call that V8 cannot interrupt',
    '',
    'Note: The inspector stays open.',
    '',
    'createSpans (src/view.js:17) blocks the main thread now, for at least 210 ms, in GET /runs/:id.',
  ]);
});

test('a thread without an answer that hardly gets a CPU may be in no native call', () => {
  const main: ThreadDump = { threadId: 0, threadName: 'main', state: 'no_answer', stack: [], atLeastMs: 0 };
  const dump = { pid: 1, command: 'node a.js', ageMs: 0, cpuMs: 0, takenMs: 0, notes: [] };
  const lineOf = (cpuShare: number): string | undefined =>
    dumpLines({ ...dump, threads: [{ ...main, cpuShare, isReady: true }] }, style)[3];
  expect(lineOf(0.036)).toBe('main thread: inside a call that V8 cannot interrupt, or short of CPU, CPU 3.6 %');
  expect(lineOf(0.9)).toBe('main thread: inside a call that V8 cannot interrupt, CPU 90 %');
});

test('a note is broken between words where it is wider than the terminal, not cut', () => {
  const note =
    'SIGUSR1 stays pending: the inspector opens on port 9229 when that call returns, and nothing closes it then.';
  const dump = { pid: 1, command: 'node a.js', ageMs: 0, cpuMs: 0, takenMs: 0, threads: [], notes: [note] };
  const lines = dumpLines(dump, { ...style, columns: 40 }).slice(3);
  expect(lines.join(' ')).toBe(`Note: ${note}`);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40);
});

test('a stack of Node.js alone is marked, and the callback of its timer is a guess', () => {
  const stack = [{ ...frame, functionName: 'listOnTimeout', filePath: 'node:internal/timers' }];
  const main: ThreadDump = { threadId: 0, threadName: 'main', state: 'running', stack, atLeastMs: 0, atMostMs: 618 };
  const dump = { pid: 1, command: 'node a.js', ageMs: 0, cpuMs: 0, takenMs: 0, notes: [] };
  const lines = dumpLines({ ...dump, threads: [{ ...main, timerCallback: 'runCommand' }] }, style);
  expect(lines.slice(3)).toEqual([
    'main thread: runs code of Node.js alone for at most 618 ms',
    '    ≈ a guess: after runCommand, the callback of a timer, or before it',
    '    at listOnTimeout (node:internal/timers:17)',
  ]);
  expect(dumpLines({ ...dump, threads: [main] }, style)).not.toContain(expect.stringContaining('≈'));
});

test('a thread that a debugger may have paused is not said to run', () => {
  const main = { threadId: 0, threadName: 'main', state: 'running', atLeastMs: 241, cpuShare: 0.04 } as const;
  const stack = [{ ...frame, functionName: '', filePath: '/app/src/a.js' }];
  const dump: ProcessDump = {
    pid: 1,
    command: 'node a.js',
    ageMs: 0,
    cpuMs: 0,
    takenMs: 0,
    threads: [{ ...main, stack, mayBePaused: true }],
    notes: [],
  };
  expect(dumpLines(dump, style)).toContain(
    'main thread: runs, or a debugger has paused it, for at least 241 ms, CPU 4.0 %',
  );
});

test.each<[string, Partial<ThreadDump>, RegExp]>([
  [
    'a scan in a callback, and its kind',
    {
      stack: [
        { ...frame, functionName: '', filePath: '/app/src/view.js' },
        { ...frame, functionName: 'Array.find', filePath: '', lineNumber: 0 },
        { ...frame, functionName: 'createSpans', filePath: '/app/src/view.js' },
      ],
    },
    /^createSpans \(src\/view\.js:17\) blocks the main thread now, for at least 210 ms\. May be a nested scan: http/,
  ],
  [
    'a thread that a debugger may have paused',
    { mayBePaused: true },
    /^f \(src\/a\.js:17\) blocks the main thread now, or a debugger has paused it there, for at least 210 ms\.$/,
  ],
  ['a worker', { threadId: 3, threadName: 'pool' }, /^f \(src\/a\.js:17\) blocks worker 3 pool now/],
  [
    'endless microtasks: the function that awaits, and not the library that runs for it',
    {
      stack: [
        { ...frame, functionName: 'settle', filePath: '/app/node_modules/lib/index.js' },
        { ...frame, functionName: 'process.processTicksAndRejections', filePath: 'node:internal/process/task_queues' },
        { ...frame, functionName: 'drainQueue', filePath: '/app/src/queue.js', isAsync: true },
      ],
    },
    /^drainQueue \(src\/queue\.js:17\) blocks the main thread now/,
  ],
  ['a thread between callbacks', { stack: [] }, /^no sentence$/],
  ['a thread that did not stay in one iteration', { atLeastMs: 0 }, /^no sentence$/],
  ['an idle thread', { state: 'idle' }, /^no sentence$/],
])('the sentence of a dump is right for %s', (_, change, sentence) => {
  const thread: ThreadDump = {
    threadId: 0,
    threadName: 'main',
    state: 'running',
    stack: [{ ...frame, functionName: 'f', filePath: '/app/src/a.js' }],
    atLeastMs: 210,
    ...change,
  };
  const text = dumpSentence(
    { pid: 1, command: 'node', ageMs: 0, cpuMs: 0, takenMs: 0, threads: [thread], notes: [] },
    '/app',
  );
  expect(text ?? 'no sentence').toMatch(sentence);
});

test('names from a program cannot control the terminal', () => {
  const rows = [{ pid: 1, ageMs: 5000, cpuMs: 0, watched: true, command: 'node \u001b[2Jx.js' }];
  expect(processLines(rows, style)).toEqual([
    'PID    AGE    CPU  WATCHED  COMMAND',
    '  1  5.0 s  0.0 s  yes      node  [2Jx.js',
  ]);
  const [, long = ''] = processLines([{ ...rows[0]!, command: 'node '.repeat(1_000) }], { ...style, columns: 80 });
  expect([long.length, long.at(-1)]).toEqual([80, '…']);
  expect(processLines([], style)).toEqual(['This user has no other Node.js process.']);
});

test('a list of processes is as wide as the terminal, as COLUMNS says, or 400 columns', () => {
  expect([
    listColumns(120, { COLUMNS: '90' }),
    listColumns(Infinity, { COLUMNS: '90' }),
    listColumns(Infinity, { COLUMNS: 'wide' }),
    listColumns(Infinity, {}),
  ]).toEqual([120, 90, 400, 400]);
});
