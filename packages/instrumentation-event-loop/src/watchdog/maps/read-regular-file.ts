import fs from 'node:fs';
import process from 'node:process';
import type { Pieces } from './json-scan.js';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;

const BYTES_PER_READ = 1024 * 1024;

export interface RegularFile {
  readonly bytes: Buffer;
  readonly modifiedMs: number;
}

/**
 * Reads a regular file of limited size, undefined where it is none. A pipe or a device is not opened: that can block, or
 * change something.
 */
export function* readRegularFile(path: string, maxBytes: number): Pieces<RegularFile | undefined> {
  let descriptor: number | undefined;
  try {
    if (!fs.statSync(path).isFile()) return undefined;
    // Without waiting, if it has become a pipe meanwhile.
    descriptor = fs.openSync(path, process.platform === 'win32' ? O_RDONLY : O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    // Not of a pool, so that it is freed with the file.
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = fs.readSync(descriptor, bytes, length, Math.min(bytes.length - length, BYTES_PER_READ), length);
      if (read === 0) break;
      length += read;
      yield;
    }
    return { bytes: bytes.subarray(0, length), modifiedMs: stats.mtimeMs };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) close(descriptor);
  }
}

export function isRegularFile(path: string): boolean {
  try {
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}

function close(descriptor: number): void {
  try {
    fs.closeSync(descriptor);
  } catch {
    // It is closed already.
  }
}
