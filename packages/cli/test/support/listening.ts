import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Inodes of the TCP sockets on which the process listens. */
export function listeningSockets(pid: number): string[] {
  const listening = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  const own = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return own.filter((link) => listening.includes(link));
}
