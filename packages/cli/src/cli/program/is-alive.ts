import process from 'node:process';

import { platform } from '../platform/current.js';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process was stopped by a signal, such as SIGSTOP: it runs no code, and may go on at any time. */
export function isStopped(pid: number): boolean {
  return platform().process(pid)?.state === 'T';
}
