import { closeSync, constants, fstatSync, openSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import type { RecordsFile } from '../../channel/contract.js';
import { inodeOf } from '../../channel/writer.js';

/*
 * The file of records of an attached process. The process creates it itself, with its own rights, and it has no name:
 * other processes reach it only by the descriptors of this one, and it is gone when the last of them is closed.
 */

/** `O_TMPFILE` of Linux, which Node.js does not name. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR, O_WRONLY } = constants;
const MODE = 0o600;

/** Creates the file. Throws where no temporary directory can be written, and where `/proc` is not mounted. */
export function createRecordsFile(): RecordsFile {
  const problems: unknown[] = [];
  for (const directory of new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm'])) {
    try {
      const descriptor = openWithoutName(directory);
      const records = { descriptor, inode: inodeOf(descriptor) };
      assertReachable(records);
      return records;
    } catch (error) {
      problems.push(error);
    }
  }
  throw problems[0];
}

/** By this path, each thread of the process can open the file. */
export function pathOf({ descriptor }: RecordsFile): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Opens the file once more, in another thread. */
export function openAgain(records: RecordsFile): number {
  const descriptor = openSync(pathOf(records), O_APPEND | O_WRONLY);
  if (inodeOf(descriptor) === records.inode) return descriptor;
  closeSync(descriptor);
  throw new Error('the file of records is closed');
}

function openWithoutName(directory: string): number {
  try {
    return openSync(directory, O_TMPFILE | O_RDWR | O_APPEND, MODE);
  } catch {
    // A file system without such files, as older overlays in containers.
    const random = `${process.hrtime.bigint().toString(36)}${Math.random().toString(36).slice(2)}`;
    const file = path.join(directory, `loopwatch-${process.pid}-${random}`);
    const descriptor = openSync(file, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_APPEND, MODE);
    if (statSync(file).ino === fstatSync(descriptor).ino) unlinkSync(file);
    return descriptor;
  }
}

function assertReachable(records: RecordsFile): void {
  try {
    closeSync(openAgain(records));
  } catch (error) {
    closeSync(records.descriptor);
    throw error;
  }
}

/** Closes a descriptor of the file, unless the program has closed it, and given it to another of its files. */
export function closeRecords(descriptor: number, { inode }: RecordsFile): void {
  try {
    if (inodeOf(descriptor) === inode) closeSync(descriptor);
  } catch {
    // The program has closed all descriptors.
  }
}
