import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

import {
  type ChannelConfig,
  type ChannelRecord,
  CONFIG_FILE,
  MODE_RECORDS_LOST,
  RECORDS_FILE,
  type WatchdogRequest,
} from './contract.js';

/** The CLI's end of the channel. */
export interface RecordReader {
  /** The records that were appended since the last call. */
  read(): ChannelRecord[];
  /** Whether a process could not write a record, because the disk is full. */
  hasLostRecords(): boolean;
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;
/** A record of a block has at most some 100,000 characters. The file is written by the program that is watched. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** Writes the configuration and an empty file of records into the directory, and opens the file for reading. */
export async function createChannel(directory: string, config: ChannelConfig): Promise<RecordReader> {
  const file = path.join(directory, RECORDS_FILE);
  await writeFile(path.join(directory, CONFIG_FILE), JSON.stringify(config));
  await writeFile(file, '', { mode: 0o600 });
  return createRecordReader(file);
}

function createRecordReader(file: string): RecordReader {
  const descriptor = openSync(file, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let offset = 0;
  let unfinished = '';

  return {
    read() {
      const records: ChannelRecord[] = [];
      while (offset < fstatSync(descriptor).size) {
        const size = readSync(descriptor, buffer, 0, CHUNK_BYTES, offset);
        if (size === 0) break;
        offset += size;
        const lines = (unfinished + decoder.write(buffer.subarray(0, size))).split('\n');
        unfinished = lines.pop() ?? '';
        for (const line of lines) records.push(...parseRecord(line));
        // Its end alone is no JSON: the line is left out.
        if (unfinished.length > MAX_LINE_LENGTH) unfinished = unfinished.slice(-1);
      }
      return records;
    },
    hasLostRecords: () => (fstatSync(descriptor).mode & 0o777) === MODE_RECORDS_LOST,
    close() {
      closeSync(descriptor);
    },
  };
}

function parseRecord(line: string): ChannelRecord[] {
  try {
    const record = JSON.parse(line) as ChannelRecord | Omit<WatchdogRequest, 'type'>;
    return ['type' in record ? record : { type: 'request', ...record }];
  } catch {
    // A full disk may truncate a line.
    return [];
  }
}
