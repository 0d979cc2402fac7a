import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';

/** A file that was read, and which version of it. */
export interface ReadFile {
  readonly text: string;
  readonly stamp: string;
}

/** Whether the file at this path, which leads through no link, may be read. */
export type Permission = (realPath: string) => boolean;

/** What these show is no file, but the state of processes and of the machine. */
const NO_FILES = ['/proc', '/sys'];

/**
 * Reads a regular file of at most `maxBytes`; undefined if it is another kind of file, larger, not permitted, or missing.
 * Neither a FIFO nor a device is waited for. Permission is asked for the file that is open: its path can lead elsewhere a
 * moment later. `known` is the stamp of a version that need not be read again.
 */
export function readRegularFile(
  filePath: string,
  maxBytes: number,
  isPermitted: Permission,
  known?: string,
): ReadFile | 'unchanged' | undefined {
  let descriptor: number | undefined;
  try {
    const realPath = realpathSync.native(filePath);
    if (!isRealFile(realPath) || !isPermitted(realPath)) return undefined;
    // To open a device can already have an effect.
    if (!lstatSync(realPath).isFile()) return undefined;
    descriptor = openSync(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile() || !isStillAt(descriptor, realPath, stats)) return undefined;
    const stamp = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    if (stamp === known) return 'unchanged';
    if (stats.size > maxBytes) return undefined;
    return { text: readText(descriptor, Number(stats.size)), stamp };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Reads a file that the user has named, also through links; throws as `readFileSync`. What is no regular file is refused:
 * a pipe, such as `<(…)` of a shell, is empty for the program once it has been read, and a FIFO may never end.
 */
export function readUserFile(filePath: string): string {
  if (!statSync(filePath).isFile()) throw new Error(`Expected a regular file, got ${filePath}.`);
  return readFileSync(filePath, 'utf8');
}

/** Whether the path is inside of the directory. Both are absolute, without `..`. */
export function isBelow(absolute: string, directory: string): boolean {
  const prefix = directory.endsWith(path.sep) ? directory : `${directory}${path.sep}`;
  return absolute.startsWith(prefix);
}

function isRealFile(realPath: string): boolean {
  return path.isAbsolute(realPath) && !NO_FILES.some((directory) => isBelow(realPath, directory));
}

/**
 * Whether the open file is the one of the path. Between `realpath` and `open`, a directory of the path can have been
 * replaced by a link. Linux names the open file; elsewhere the path is resolved again.
 */
function isStillAt(descriptor: number, realPath: string, stats: { dev: bigint; ino: bigint }): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`) === realPath;
  if (realpathSync.native(realPath) !== realPath) return false;
  const now = lstatSync(realPath, { bigint: true });
  return now.dev === stats.dev && now.ino === stats.ino;
}

/** Not more than the size that was looked at: the file can grow meanwhile. */
function readText(descriptor: number, size: number): string {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.toString('utf8', 0, length);
}
