import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import {
  type ChannelConfig,
  type ChannelRecord,
  CONFIG_FILE,
  MODE_ENDED,
  MODE_RECORDS_LOST,
  RECORDS_FILE,
} from './contract.js';

// Taken when the module loads: a program's tests may put an invented file system in their places.
const { constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, writeSync } = fs;
const { stringify } = JSON;
const getUserId = process.geteuid?.bind(process);
const bufferFrom = Buffer.from.bind(Buffer) as (text: string) => Buffer;

/** The program's end of the channel. */
export interface Channel {
  readonly config: ChannelConfig;
  /** Where the watchdog thread appends what it knows of a block that lasts. */
  readonly url: string;
  readonly write: (record: ChannelRecord) => void;
}

/** `onEnded` is called once, when a record is to be written after `loopwatch run` has ended. */
export function openChannel(directory: string, onEnded?: () => void): Channel {
  const file = path.join(directory, RECORDS_FILE);
  const open = (): number => {
    assertOwn(directory);
    return openSync(file, constants.O_APPEND | constants.O_WRONLY); // the CLI has created it
  };
  const descriptor = open();
  const config = JSON.parse(readFileSync(path.join(directory, CONFIG_FILE), 'utf8')) as ChannelConfig;
  const url = urlOfRecords(file, inodeOf(descriptor));
  return { config, url, write: createAppender(descriptor, open, onEnded) };
}

/** Where the watchdog thread appends to the file: to no other one that has its path meanwhile. */
export function urlOfRecords(file: string, inode: string): string {
  return `${pathToFileURL(file).href}#${inode}`;
}

/** Node.js 20 and 22 may resolve no symbolic link after a status of a pipe or a socket; one in bigints does not change that. */
const APART = { bigint: true } as const;

/**
 * A daemon outlives `loopwatch run`, and hands the name of the directory on to all that it starts. Once the directory is
 * removed, another user can create one of that name, with links to files of this user.
 */
function assertOwn(directory: string): void {
  const { uid } = lstatSync(directory, APART);
  const userId = getUserId?.();
  if (userId !== undefined && uid !== BigInt(userId)) throw new Error(`${directory} is not of this user`);
}

/**
 * Appends each record as a line, with one system call, so that lines of several processes do not mix. A process that is
 * killed while it writes leaves a part of a line: each begins with a line feed, so that the next record does not
 * continue it. Never throws into the program. `reopen` is called where the program has closed the descriptor, `onEnded`
 * where the reader has closed the file. A file without a name may still be read: the program may have deleted it.
 */
export function createAppender(
  first: number,
  reopen: () => number,
  onEnded?: () => void,
): (record: ChannelRecord) => void {
  let descriptor = first;
  let hasEnded = false;
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
    if (hasEnded) return;
    try {
      if (!isOpen()) descriptor = reopen();
      hasEnded = onEnded !== undefined && isReaderClosed(descriptor);
      if (hasEnded) {
        onEnded?.();
        return;
      }
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

function isReaderClosed(descriptor: number): boolean {
  return (Number(fstatSync(descriptor, APART).mode) & 0o777) === MODE_ENDED;
}

/** The disk is full: the record is lost, and the program must not fail. A file's mode can still be changed. */
function markLost(descriptor: number): void {
  try {
    fchmodSync(descriptor, MODE_RECORDS_LOST);
  } catch {
    // The directory has been deleted.
  }
}
