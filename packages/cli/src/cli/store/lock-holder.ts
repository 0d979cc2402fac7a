import { readFileSync, statSync } from 'node:fs';

/** The process that has locked the file, as far as the kernel says so: on Linux, not on network file systems. */
export function lockHolder(file: string): string | undefined {
  try {
    const inode = statSync(file).ino;
    const lock = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      // `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 0 EOF`; a line with `->` waits for the lock.
      .map((line) => line.trim().split(/\s+/))
      .find((fields) => fields[1] !== '->' && fields[5]?.endsWith(`:${inode}`));
    const pid = lock?.[4];
    if (pid === undefined || !/^[1-9]\d*$/.test(pid)) return undefined;
    return `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})`;
  } catch {
    return undefined;
  }
}
