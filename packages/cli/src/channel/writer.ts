import { openSync, writeSync } from 'node:fs';

import type { ChannelRecord } from './contract.js';

/** Appends records to the file, a line each, by one system call each, so that lines of several processes do not mix. */
export function createWriter(file: string): (record: ChannelRecord) => void {
  const descriptor = openSync(file, 'a');
  return (record) => {
    try {
      writeSync(descriptor, `${JSON.stringify(record)}\n`);
    } catch {
      // A full disk, or a program that closes descriptors it did not open: it goes on unwatched.
    }
  };
}
