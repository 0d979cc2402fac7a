import { readFileSync } from 'node:fs';

import { threadIdsOf } from './processes.js';

/** Ids of a process's descendants: cheaper than to read every process. None where the kernel does not list children. */
export function descendantIdsOf(pid: number): number[] {
  const found = [pid];
  for (const parent of found) found.push(...threadIdsOf(parent).flatMap((tid) => childIdsOf(parent, tid)));
  return found.slice(1);
}

/** A child belongs to the thread that has started it. */
function childIdsOf(pid: number, tid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // The thread has ended.
  }
}
