import os from 'node:os';
import process from 'node:process';
import { closeSync, fstatSync, openSync, statSync } from './file-functions.js';

/**
 * Opens the null device for stdin, stdout and stderr where the application has closed them, as Node does at its start.
 * Otherwise the next handle of Node's event loop would get the number 0, 1 or 2, and Node aborts the process when it
 * closes such a handle (`assert(fd > STDERR_FILENO)` in libuv's `uv__close`). Returns a function that closes them again.
 */
export function holdStandardDescriptors(): () => void {
  if (process.platform === 'win32') return () => undefined;
  const held = [0, 1, 2].filter((descriptor) => !isOpen(descriptor) && openNullDevice(descriptor));
  return () => {
    for (const descriptor of held.splice(0)) if (isNullDevice(descriptor)) closeSync(descriptor);
  };
}

/**
 * Node.js 20 and 22 keep the numbers of the last file status, and `realpathSync` reads them: after a pipe or a socket it
 * resolves no symbolic link, and the module loader loads packages twice. A status in bigints leaves them alone.
 */
const APART = { bigint: true } as const;

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor, APART);
    return true;
  } catch {
    return false;
  }
}

/** Whether the null device has got this number: the lowest that is free. */
function openNullDevice(descriptor: number): boolean {
  try {
    const opened = openSync(os.devNull, 'r+');
    if (opened === descriptor) return true;
    closeSync(opened); // another thread was faster
  } catch {
    // Out of descriptors, or without the null device.
  }
  return false;
}

/** Whether the descriptor still is what `openNullDevice` has opened; the application may have opened another file. */
function isNullDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor, APART).rdev === statSync(os.devNull, APART).rdev;
  } catch {
    return false;
  }
}
