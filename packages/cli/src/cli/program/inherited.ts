import { fstatSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import process from 'node:process';

/** An open descriptor of this process. */
export interface Descriptor {
  readonly number: number;
  /** `none`: without a file, such as those of epoll. */
  readonly kind: 'file' | 'reader' | 'writer' | 'other' | 'none';
  /** The two ends of a pipe have the same. */
  readonly inode: number;
}

/**
 * At its start, Node.js marks so many as not to be inherited, and more only where there is no gap. The others reach the
 * program in any case.
 */
const MAX_MARKED = 15;

const OTHER_ENDS: Readonly<Partial<Record<Descriptor['kind'], Descriptor['kind']>>> = {
  reader: 'writer',
  writer: 'reader',
};
/** Of the link in `/proc/self/fd`. */
const READABLE = 0o400;

/**
 * The descriptors above stderr that this process has from its caller, such as `3>log` of a shell or those of make's
 * jobserver. Call it before files are opened. Linux only.
 */
export function inheritedDescriptors(): number[] {
  try {
    const open = readdirSync('/proc/self/fd').flatMap((name) => describe(Number(name)) ?? []);
    // The program does not get the variable that names the channel of the caller.
    const channel = (process.channel as { readonly fd?: number } | undefined)?.fd;
    return inheritedOf(open).filter((number) => number !== channel);
  } catch {
    return []; // no Linux
  }
}

/**
 * Node.js starts with an event loop, whose first descriptor is that of epoll: all below have been there before. What it
 * opens itself fills the gaps above: both ends of its pipes, sockets and devices, and no file.
 */
export function inheritedOf(open: readonly Descriptor[]): number[] {
  const first = Math.min(...open.filter(({ kind }) => kind === 'none').map(({ number }) => number));
  return open
    .filter(({ number, kind, inode }) => {
      if (number <= 2) return false;
      if (number < first) return true;
      if (number > MAX_MARKED) return false;
      const otherEnd = OTHER_ENDS[kind];
      return kind === 'file' || (otherEnd && !open.some((other) => other.inode === inode && other.kind === otherEnd));
    })
    .map(({ number }) => number);
}

function describe(number: number): Descriptor | undefined {
  try {
    const stats = fstatSync(number);
    return { number, kind: kindOf(stats, number), inode: stats.ino };
  } catch {
    return undefined; // that of the listing
  }
}

function kindOf(stats: Stats, number: number): Descriptor['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isFIFO()) return lstatSync(`/proc/self/fd/${number}`).mode & READABLE ? 'reader' : 'writer';
  return stats.isSocket() || stats.isCharacterDevice() || stats.isBlockDevice() || stats.isDirectory()
    ? 'other'
    : 'none';
}
