import { readFileSync, readdirSync } from 'node:fs';

/** CPU time of all threads of a process so far, in ms; a thread that has ended does not count. */
export function cpuTimeMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => threadCpuTimeMs(pid, thread))
    .reduce((sum, ms) => sum + ms, 0);
}

function threadCpuTimeMs(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0; // ended meanwhile
  }
}
