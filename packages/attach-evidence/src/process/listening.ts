import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Ports on which the process listens for TCP connections, by /proc. */
export function listeningPorts(pid: number): number[] {
  const portOf = new Map<string, number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of read(`/proc/${pid}/net/${table}`).split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A') portOf.set(`socket:[${inode}]`, parseInt(local?.split(':')[1] ?? '', 16));
    }
  }
  return descriptors(pid).flatMap((link) => portOf.get(link) ?? []);
}

function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      } catch {
        return ''; // closed meanwhile
      }
    });
  } catch {
    return []; // the process has ended
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
