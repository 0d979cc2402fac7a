import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { inSources } from '../../src/cli/inspect/dump/map-dump.js';
import type { ProcessInfo } from '../../src/cli/inspect/process/processes.js';
import type { DumpFrame, ThreadDump } from '../../src/model/processes/dump.js';

/** Line 1: entries at columns 0, 9 (with a name) and 21, of lines 16 and 17 of the source. */
const MAP = { version: 3, sources: ['../src/trace.ts'], names: ['createSpans'], mappings: 'AAeA,SAASA,YACA' };

let directory: string;
let built: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-dump-'));
  built = path.join(directory, 'app.js');
  writeFileSync(built, 'function t(a){return a.find(b)}\n//# sourceMappingURL=app.js.map\n');
  writeFileSync(`${built}.map`, JSON.stringify(MAP));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function dumped(userId: number | undefined): readonly DumpFrame[] {
  const place = { functionLineNumber: 1, functionColumnNumber: 1, isAsync: false };
  const stack = [
    { functionName: 'Array.find', filePath: '', lineNumber: 0, columnNumber: 0, isAsync: false },
    { functionName: 't', filePath: built, lineNumber: 1, columnNumber: 24, ...place },
  ];
  const thread: ThreadDump = { threadId: 0, threadName: 'main', state: 'running', stack, atLeastMs: 200 };
  const info = { pid: process.pid, userId, ageMs: 0 } as ProcessInfo;
  return inSources([thread], info)[0]!.stack;
}

test('a frame of a built file has its source in a dump', () => {
  const source = { functionName: 'createSpans', filePath: path.resolve(directory, '../src/trace.ts'), lineNumber: 17 };
  const stack = dumped(process.geteuid?.());
  expect(stack[1]).toMatchObject(source);
  expect(Object.keys(stack[1]!).sort()).toEqual(['columnNumber', 'filePath', 'functionName', 'isAsync', 'lineNumber']);
  expect(stack[0]).toEqual({
    functionName: 'Array.find',
    filePath: '',
    lineNumber: 0,
    columnNumber: 0,
    isAsync: false,
  });
});

test('the files of a process with other rights are not read', () => {
  expect(dumped(4242)[1]).toMatchObject({ functionName: 't', filePath: built, lineNumber: 1 });
});
