import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Creates the directory in which the processes of a program write what `run` reads. Throws an error that names the temporary
 * directory where that cannot be written, or where the file system gives new files to another user, as some network and
 * mounted ones do. A process writes only into a directory of its own user.
 */
export function createChannelDirectory(temporary = tmpdir(), userId = process.geteuid?.()): string {
  let directory: string;
  try {
    // A process of the program may be in another directory.
    directory = mkdtempSync(path.resolve(temporary, 'loopwatch-'));
  } catch (cause) {
    throw unwritable(cause, temporary);
  }
  const owner = statSync(directory).uid;
  if (userId === undefined || owner === userId) return directory;
  removeChannelDirectory(directory);
  throw new Error(
    `Expected that what is created in the temporary directory ${temporary} belongs to you (user id ${userId}), ` +
      `got user id ${owner}. Set TMPDIR to a directory on a local disk.`,
  );
}

export function removeChannelDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // A process that the program has left behind writes there.
  }
}

/** The error where a file of the channel cannot be written. */
export function unwritable(cause: unknown, temporary = tmpdir()): Error {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new Error(
    `Cannot write to the temporary directory ${temporary} (${code}). Set TMPDIR to a directory that can be written.`,
    { cause },
  );
}
