import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { type ChannelRecord, RECORDS_FILE } from '../../src/channel/contract.js';
import { createChannel, type RecordReader } from '../../src/channel/reader.js';
import { openChannel } from '../../src/channel/writer.js';

const record: ChannelRecord = { type: 'end', instance: '1', threadId: 0 };

let directory: string;
let reader: RecordReader;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
  reader = createChannel(directory, { thresholdMs: 100, countsStartUp: false, withArguments: false });
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

test('a process that goes on after the end of run learns it once, from its next record', () => {
  let calls = 0;
  const { write } = openChannel(directory, () => {
    calls++;
  });
  write(record);
  expect(calls).toBe(0);
  reader.close();
  fs.rmSync(directory, { recursive: true });
  write(record);
  write(record);
  expect(calls).toBe(1);
});

test('a process that has deleted the directory of run is watched on', () => {
  let calls = 0;
  const { write } = openChannel(directory, () => {
    calls++;
  });
  fs.rmSync(directory, { recursive: true });
  write(record);
  expect(reader.read()).toEqual([record]);
  expect(calls).toBe(0);
  reader.close();
});

test('a file for which the file system shows all permissions is written', () => {
  let calls = 0;
  const { write } = openChannel(directory, () => {
    calls++;
  });
  fs.chmodSync(path.join(directory, RECORDS_FILE), 0o777);
  write(record);
  expect(reader.read()).toEqual([record]);
  expect(calls).toBe(0);
  reader.close();
});

test('a process that a daemon starts after the end of run opens no directory of another user', () => {
  // Root may give one away; the others find that of root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) fs.chownSync(directory, 65_534, 65_534);
  expect(() => openChannel(isRoot ? directory : '/')).toThrow('is not of this user');
});

test('a file that has no longer a name is not created again by a program that closes all descriptors', () => {
  const { write } = openChannel(directory);
  const file = path.join(directory, RECORDS_FILE);
  const { ino } = fs.statSync(file);
  fs.rmSync(file);
  for (let descriptor = 3; descriptor < 64; descriptor++) {
    try {
      if (fs.fstatSync(descriptor).ino === ino) fs.closeSync(descriptor);
    } catch {
      // Not open.
    }
  }
  write(record);
  expect(fs.existsSync(file)).toBe(false);
});
