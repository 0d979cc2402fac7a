import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import { createRecordReader } from '../../src/channel/reader.js';

const line = '{"type":"end","instance":"1","threadId":0}\n';
/** ms */
const LONG = 60_000;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

function isOpen(descriptor: number): boolean {
  try {
    return fs.fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

test('the file of a process that has ended is closed when it has been read, and what was lost stays known', () => {
  const reader = createRecordReader();
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const [ended, running] = ['ended', 'running'].map((name) => {
    const file = path.join(directory, name);
    fs.writeFileSync(file, line);
    return { file, descriptor: fs.openSync(file, 'r') };
  });
  reader.add(ended!.descriptor);
  reader.add(running!.descriptor);
  reader.finish(ended!.descriptor);
  expect(reader.read()).toHaveLength(2);
  // The last records may still come.
  expect(isOpen(ended!.descriptor)).toBe(true);
  fs.appendFileSync(ended!.file, `${line}no record\n`);
  fs.chmodSync(ended!.file, 0o601);
  now.mockReturnValue(LONG);
  expect(reader.read()).toHaveLength(1);
  expect([ended!, running!].map(({ descriptor }) => isOpen(descriptor))).toEqual([false, true]);
  expect([reader.droppedCount, reader.hasLostRecords(), reader.unreadBytes]).toEqual([1, true, 0]);
  fs.appendFileSync(running!.file, line);
  expect(reader.read()).toHaveLength(1);
  reader.close();
  expect(isOpen(running!.descriptor)).toBe(false);
});

test('what a process that goes on writes after the last call is nothing that this call has left', () => {
  const file = path.join(directory, 'running');
  fs.writeFileSync(file, line);
  const reader = createRecordReader();
  reader.add(fs.openSync(file, 'r'));
  expect(reader.read()).toHaveLength(1);
  fs.appendFileSync(file, line);
  expect(reader.unreadBytes).toBe(0);
  expect(reader.read()).toHaveLength(1);
  reader.close();
});
