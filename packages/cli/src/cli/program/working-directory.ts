import { readlinkSync } from 'node:fs';
import process from 'node:process';

/** What Linux adds to the name of a directory that has been removed. */
const REMOVED = / \(deleted\)$/;

/**
 * Where the working directory has been removed, `process.cwd()` throws, and so do `import()` and `path.resolve()`. Here it
 * returns the name that the directory had: the program runs, and a file that is to be written there gets its own message.
 */
export function nameRemovedDirectory(): void {
  try {
    process.cwd();
  } catch {
    const name = lastName();
    process.cwd = () => name;
  }
}

function lastName(): string {
  try {
    return readlinkSync('/proc/self/cwd').replace(REMOVED, '');
  } catch {
    return process.env.PWD ?? '/'; // no Linux
  }
}
