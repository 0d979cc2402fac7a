import { openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

import { type ChannelConfig, type ChannelRecord, CONFIG_FILE, RECORDS_FILE } from './contract.js';

export interface Channel {
  readonly config: ChannelConfig;
  readonly write: (record: ChannelRecord) => void;
}

export function openChannel(directory: string): Channel {
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  return { config, write: createWriter(path.join(directory, RECORDS_FILE)) };
}

/** Appends records to the file, a line each, by one system call each, so that lines of several processes do not mix. */
function createWriter(file: string): (record: ChannelRecord) => void {
  const descriptor = openSync(file, 'a');
  return (record) => {
    try {
      writeSync(descriptor, `${JSON.stringify(record)}\n`);
    } catch {
      // A full disk, or a program that closes descriptors it did not open: it goes on unwatched.
    }
  };
}
