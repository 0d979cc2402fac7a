import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

import type { ChannelRecord } from './contract.js';

/** Reads what has been appended to the channel since the last time. */
export interface RecordReader {
  read(): ChannelRecord[];
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;

export function createRecordReader(file: string): RecordReader {
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
      }
      return records;
    },
    close() {
      closeSync(descriptor);
    },
  };
}

function parseRecord(line: string): ChannelRecord[] {
  try {
    return [JSON.parse(line) as ChannelRecord];
  } catch {
    // A line that a full disk has cut short.
    return [];
  }
}
