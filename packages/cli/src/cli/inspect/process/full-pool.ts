import process from 'node:process';

import { plural } from '../../../model/text/format.js';
import { entries, read } from '../../platform/proc-files.js';
import { parseCall } from '../../platform/proc-text.js';

/** Name of the threads of libuv's pool, in Node.js 22 and later. */
const THREAD_NAME = 'libuv-worker';
/** System call number of `futex`, in which a thread of the pool waits for a task. */
const LOCK_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = { x64: [202], arm64: [98] };

/**
 * The threads of the pool of a process, where all of them are at work; else none. A thread in a lock may wait for a task, or
 * for another thread in one.
 */
export function fullPoolOf(pid: number, files = { entries, read }): readonly string[] {
  const threads = files
    .entries(`${pid}/task`)
    .filter((id) => files.read(`${pid}/task/${id}/comm`)?.trim() === THREAD_NAME);
  const isAtWork = (id: string): boolean =>
    parseCall(LOCK_CALLS[process.arch], files.read(`${pid}/task/${id}/syscall`)) === 'other';
  return threads.every(isAtWork) ? threads : [];
}

/** Said where the pool was full at both looks, because the event loop of such a process looks idle; undefined elsewhere. */
export function fullPoolNote(pid: number, before: readonly string[], after: readonly string[]): string | undefined {
  if (before.length === 0 || before.join() !== after.join()) return undefined;
  return (
    `No thread of libuv's pool was free (${plural(before.length, 'thread')}): files, lookups, hashes and compression ` +
    `wait for one. \`loopwatch attach ${pid}\` says for how long.`
  );
}
