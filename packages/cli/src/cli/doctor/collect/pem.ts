import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** A bundle of all public authorities has a quarter of this. */
const MAX_BYTES = 1024 * 1024;

/** Reads a regular file of at most 1 MiB, or throws. Neither a FIFO nor a device is waited for. */
export function readPem(file: string): Buffer {
  // To open a device can already have an effect.
  if (!statSync(file).isFile()) throw unexpected('another kind of file', file);
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unexpected('another kind of file', file);
    if (stats.size > MAX_BYTES) throw unexpected(`${stats.size} bytes`, file);
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

function unexpected(found: string, file: string): Error {
  return new Error(`expected a regular file of at most 1 MiB, got ${found}: ${file}`);
}
