import process from 'node:process';

import { platform } from '../platform/current.js';
import { read } from '../platform/proc-files.js';
import { parseStat } from '../platform/proc-text.js';

/** One that has ended and waits for its parent runs no code: in a container, the first process may collect none. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return parseStat(read(`${pid}/stat`) ?? '')?.state !== 'Z';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process was stopped by a signal, such as SIGSTOP: it runs no code, and may go on at any time. */
export function isStopped(pid: number): boolean {
  return platform().process(pid)?.state === 'T';
}
