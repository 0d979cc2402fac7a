import { openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

import { type ChannelConfig, type ChannelRecord, CONFIG_FILE, RECORDS_FILE } from './contract.js';

/** The program's end of the channel. */
export interface Channel {
  readonly config: ChannelConfig;
  readonly write: (record: ChannelRecord) => void;
}

export function openChannel(directory: string): Channel {
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  return { config, write: createWriter(path.join(directory, RECORDS_FILE)) };
}

/** Appends each record as a line, with one system call, so that lines of several processes do not mix. */
function createWriter(file: string): (record: ChannelRecord) => void {
  const descriptor = openSync(file, 'a');
  return (record) => {
    try {
      writeSync(descriptor, `${JSON.stringify(record)}\n`);
    } catch {
      // The disk is full, or the program has closed the descriptor. The record is lost; the program must not fail.
    }
  };
}
