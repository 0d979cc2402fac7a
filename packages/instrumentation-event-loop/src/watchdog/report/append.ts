import fs from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import type { OtlpEndpoint } from '../../contract/hang-report.js';
import { holdStandardDescriptors } from '../../contract/standard-descriptors.js';

/** Permission that the file gets once a request could not be written: its reader knows that something is missing. */
const MODE_INCOMPLETE = 0o001;

/**
 * Appends the request to the file as a line of JSON, `{ headers, body }`, with one system call, so that lines of several
 * processes do not mix. It begins with a line feed: a process that was killed while it wrote has left a part of a line. The
 * file is not created: a directory that its owner has deleted must not come back. A fragment of its URL, `#device:inode`,
 * says which file it is: another user may have put a link in its place. Never throws.
 */
export function append(endpoint: OtlpEndpoint, body: string): void {
  const release = holdStandardDescriptors();
  try {
    appendLine(endpoint, body);
  } catch {
    // The file is gone, or cannot be written.
  } finally {
    release();
  }
}

function appendLine({ url, headers }: OtlpEndpoint, body: string): void {
  const { O_APPEND, O_WRONLY } = fs.constants;
  const O_NONBLOCK = fs.constants.O_NONBLOCK as number | undefined; // not on Windows
  // A FIFO in its place must not hold this thread.
  const file = fs.openSync(fileURLToPath(url), O_APPEND | O_WRONLY | (O_NONBLOCK ?? 0));
  if (!isExpected(file, url)) {
    fs.closeSync(file);
    return;
  }
  const line = Buffer.from(`\n{"headers":${JSON.stringify(headers)},"body":${body}}\n`);
  let isWritten = false;
  try {
    isWritten = fs.writeSync(file, line) === line.length;
  } finally {
    if (!isWritten) markIncomplete(file); // the disk is full
    fs.closeSync(file);
  }
}

function isExpected(file: number, url: string): boolean {
  const { hash } = new URL(url);
  const { dev, ino } = fs.fstatSync(file, { bigint: true });
  return hash === '' || hash === `#${dev}:${ino}`;
}

function markIncomplete(file: number): void {
  try {
    fs.fchmodSync(file, fs.fstatSync(file).mode | MODE_INCOMPLETE);
  } catch {
    // Not the owner of the file.
  }
}
