import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { type ChannelRecord, RECORDS_FILE } from '../../src/channel/contract.js';
import { createChannel, type RecordReader } from '../../src/channel/reader.js';
import { openChannel } from '../../src/channel/writer.js';

const record: ChannelRecord = {
  type: 'process',
  process: { id: '1', service: 'a', label: 'pid 1', pid: 1, command: 'node a' },
};

let directory: string;
let reader: RecordReader;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
  reader = createChannel(directory, { thresholdMs: 100, countsStartUp: false, withArguments: false });
});
afterEach(async () => {
  reader.close();
  await rm(directory, { recursive: true, force: true });
});

test('records that were written are read, and none is lost', () => {
  openChannel(directory).write(record);
  expect(reader.read()).toEqual([record]);
  expect(reader.hasLostRecords()).toBe(false);
});

// The kernel ends a write between two pages when its process is killed.
test('of a process that was killed while it wrote, only the line that it has not finished is lost', () => {
  fs.appendFileSync(path.join(directory, RECORDS_FILE), '\n{"type":"process","process":{"id":"1","serv');
  openChannel(directory).write(record);
  expect([reader.read(), reader.droppedCount]).toEqual([[record], 1]);
});

test('a descriptor that the program has given to another of its files is not written to', () => {
  const { write } = openChannel(directory);
  const own = path.join(directory, 'own');
  const descriptor = descriptorOf(path.join(directory, RECORDS_FILE));
  fs.closeSync(descriptor);
  expect(fs.openSync(own, 'a')).toBe(descriptor);
  write(record);
  expect(fs.readFileSync(own, 'utf8')).toBe('');
  expect(reader.read()).toEqual([record]);
  fs.closeSync(descriptor);
});

/** The descriptor for writing that this process has opened last. */
function descriptorOf(file: string): number {
  const { ino } = fs.statSync(file);
  for (let descriptor = 63; descriptor > 2; descriptor--) {
    try {
      if (fs.fstatSync(descriptor).ino === ino && isForWriting(descriptor)) return descriptor;
    } catch {
      // Not open.
    }
  }
  throw new Error(`Expected a descriptor of ${file}.`);
}

function isForWriting(descriptor: number): boolean {
  try {
    fs.writeSync(descriptor, '');
    return true;
  } catch {
    return false;
  }
}
