import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { HEADER_PROCESS } from '../../src/channel/contract.js';
import { parseRecord } from '../../src/channel/parse-record.js';
import { createRecordReader, type RecordReader } from '../../src/channel/reader.js';
import { OngoingBlocks } from '../../src/cli/store/ongoing-blocks.js';
import { ingestRecords } from '../../src/cli/store/ingest-records.js';
import { createStore, DEFAULT_LIMITS } from '../../src/cli/store/store.js';
import { makeBlock, makeLag } from '../support/records.js';

const lag = { type: 'lag', point: makeLag() };
const block = { type: 'block', block: makeBlock() };
const parsed = (record: unknown): unknown => parseRecord(JSON.stringify(record));
const withBlock = (fields: object): unknown => parsed({ ...block, block: { ...makeBlock(), ...fields } });

let directory: string;
let file: number;
let reader: RecordReader;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-records-'));
  const name = path.join(directory, 'records');
  file = openSync(name, 'a');
  reader = createRecordReader();
  reader.add(openSync(name, 'r'));
});
afterEach(async () => {
  reader.close();
  closeSync(file);
  await rm(directory, { recursive: true });
});

test('a record is taken as it is', () => {
  const request = { headers: { [HEADER_PROCESS]: '1' }, body: { resourceSpans: [] } };
  expect([parsed(block), parsed(lag), parsed(request)]).toEqual([block, lag, { type: 'request', ...request }]);
});

test.each([
  ['no id', { id: undefined }],
  ['a time that is no number', { startMs: '0' }],
  ['a negative time', { startMs: -1 }],
  ['a time after the last date', { startMs: 1e300 }],
  ['an infinite length', { durationMs: null }],
  ['a length of a thousand years', { durationMs: 1e14 }],
  ['an empty id', { id: '' }],
])('a block with %s is no record', (_label, fields) => {
  expect(withBlock(fields)).toBeUndefined();
});

test('what a block need not have is left out where it is of another type, and texts are cut', () => {
  const { culprit: _culprit, ...known } = makeBlock();
  const long = `${'x'.repeat(100)}\n`.repeat(1e4);
  const hostile = {
    culprit: { functionName: 'f', filePath: '/a.js', lineNumber: 2 ** 53, columnNumber: 0 },
    cpuMs: [],
    pending: [{}],
    stackTrace: long,
    toString: 1,
    ['__proto__']: { ended: false },
    cause: 'toString',
    threadId: 0.5,
  };
  const stackTrace = long.slice(0, 16_384).replace(/\n[^\n]*$/, '');
  expect(withBlock(hostile)).toEqual({
    type: 'block',
    block: {
      ...known,
      stackTrace,
      cause: 'unknown',
      threadId: 0,
      culprit: { functionName: 'f', filePath: '/a.js', lineNumber: 0, columnNumber: 0 },
      pending: [],
    },
  });
});

test('a lag whose counts do not fit its bounds is no record', () => {
  expect(parsed({ ...lag, point: makeLag({ counts: [1] }) })).toBeUndefined();
});

test('no value makes the reader of records, or what stores them, throw', () => {
  const store = createStore(DEFAULT_LIMITS);
  const ongoing = new OngoingBlocks(store, { hangThresholdMs: 100, isAlive: () => true, isStopped: () => false });
  const templates = [block, lag, { headers: { [HEADER_PROCESS]: '1' }, body: {} }];
  const hold = (): void => {
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.array(fc.tuple(fc.string(), fc.jsonValue())),
        fc.jsonValue(),
        (template, fields, body) => {
          const inner = 'block' in template ? 'block' : 'point' in template ? 'point' : 'headers';
          const record = parsed({
            ...template,
            body,
            [inner]: { ...(template as Record<string, object>)[inner], ...Object.fromEntries(fields) },
          });
          if (record === undefined) return;
          ingestRecords(store, [record as never]);
          ongoing.note(record as never, 0);
          ongoing.takeCutShort(0, true);
        },
      ),
      { numRuns: 300 },
    );
  };
  expect(hold).not.toThrow();
});

test('lines that are no records are counted, and what follows them is read', () => {
  const lines = ['x', '{', 'null', '7', '[]', '{"type":"__proto__"}', '['.repeat(500_000), 'x'.repeat(3e6)];
  writeSync(file, `\n\n${lines.join('\n')}\n${JSON.stringify(lag)}\n`);
  expect([reader.read(), reader.droppedCount, reader.unreadBytes]).toEqual([[lag], lines.length, 0]);
});

test('one call reads some megabytes of a file that has no end', () => {
  ftruncateSync(file, 2 ** 40);
  expect(reader.read()).toEqual([]);
  expect(reader.unreadBytes).toBeGreaterThan(2 ** 39);
});
