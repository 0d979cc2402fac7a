import { expect, test } from '@jest/globals';

import { programFrames } from '../../src/cli/inspect/inspector/program-frames.js';
import type { DumpFrame } from '../../src/model/processes/dump.js';

function frame(functionName: string, filePath: string): DumpFrame {
  return { functionName, filePath, lineNumber: 1, columnNumber: 1, isAsync: false };
}

const loop = [frame('listOnTimeout', 'node:internal/timers'), frame('process.processTimers', 'node:internal/timers')];
const program = [frame('createSpans', '/app/trace-view.js'), frame('handler', '/app/server.js'), ...loop];
const agent = frame('judge', 'loopwatch:agent');
const nameless = frame('', '');
const sleep = frame('Atomics.wait', '');
const write = frame('writeSync', 'node:fs');
const installed = (file: string): DumpFrame => frame('wait', `/app/node_modules/${file}`);

const cases: readonly (readonly [string, readonly DumpFrame[], readonly DumpFrame[]])[] = [
  ['without any', program, program],
  ['that the event loop has called, with what it calls', [write, agent, ...loop], []],
  ['of a text', [frame('attempt', 'loopwatch:deferred'), agent, ...loop], []],
  ['that is evaluated inside code of the program', [write, agent, nameless, ...program], program],
  ['that the program calls', [agent, write, agent, ...program], program],
  ['that sleeps for the program', [sleep, agent, ...program], [sleep, ...program]],
  [
    'of the installed package, which sleeps for the program',
    [sleep, installed('@loopwatch/instrumentation-event-loop/dist/index.cjs'), ...program],
    [sleep, ...program],
  ],
  ['of the preload', [installed('loopwatch/dist/preload.cjs'), ...loop], []],
];

test.each(cases)('frames of the program are left of a stack with own code %s', (_label, frames, expected) => {
  expect(programFrames(frames)).toEqual(expected);
});

test('a package with a similar name is one of the program', () => {
  const frames = [installed('loopwatch-board/index.js'), ...program];
  expect(programFrames(frames)).toEqual(frames);
});
