import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { type ChannelConfig, type ChannelRecord, CONFIG_FILE, MODE_RECORDS_LOST, RECORDS_FILE } from './contract.js';

// Taken when the module loads: a program's tests may put an invented file system in their places.
const { constants, fchmodSync, fstatSync, openSync, readFileSync, writeSync } = fs;
const { stringify } = JSON;
const bufferFrom = Buffer.from.bind(Buffer) as (text: string) => Buffer;

/** The program's end of the channel. */
export interface Channel {
  readonly config: ChannelConfig;
  /** Where the watchdog thread appends what it knows of a block that lasts. */
  readonly url: string;
  readonly write: (record: ChannelRecord) => void;
}

export function openChannel(directory: string): Channel {
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  const file = path.join(directory, RECORDS_FILE);
  return { config, url: pathToFileURL(file).href, write: createWriter(file) };
}

/** Node.js 20 and 22 may resolve no symbolic link after a status of a pipe or a socket; one in bigints does not change that. */
const APART = { bigint: true } as const;

function createWriter(file: string): (record: ChannelRecord) => void {
  const open = (): number => openSync(file, constants.O_APPEND | constants.O_WRONLY);
  return createAppender(openSync(file, 'a'), open);
}

/**
 * Appends each record as a line, with one system call, so that lines of several processes do not mix. A process that is
 * killed while it writes leaves a part of a line: each begins with a line feed, so that the next record does not
 * continue it. Never throws into the program. `reopen` is called where the program has closed the descriptor.
 */
export function createAppender(first: number, reopen: () => number): (record: ChannelRecord) => void {
  let descriptor = first;
  const inode = inodeOf(descriptor);
  /** A daemon closes all descriptors; then another of the program's files may have got this number. */
  const isOpen = (): boolean => {
    try {
      return inodeOf(descriptor) === inode;
    } catch {
      return false;
    }
  };
  return (record) => {
    try {
      if (!isOpen()) descriptor = reopen();
      const line = bufferFrom(`\n${stringify(record)}\n`);
      if (writeSync(descriptor, line) < line.length) markLost(descriptor);
    } catch {
      if (isOpen()) markLost(descriptor);
    }
  };
}

/** Which file a descriptor leads to. */
export function inodeOf(descriptor: number): string {
  const { dev, ino } = fstatSync(descriptor, APART);
  return `${dev}:${ino}`;
}

/** The disk is full: the record is lost, and the program must not fail. A file's mode can still be changed. */
function markLost(descriptor: number): void {
  try {
    fchmodSync(descriptor, MODE_RECORDS_LOST);
  } catch {
    // The directory has been deleted.
  }
}
