import process from 'node:process';

import { link, read } from '../../platform/proc-files.js';
import { parseCall } from '../../platform/proc-text.js';

/** System call numbers of `read`, `pread64`, `readv` and `preadv`. */
const READ_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [0, 17, 19, 295],
  arm64: [63, 67, 65, 69],
};
/** Where in the kernel a thread sleeps that reads from a pipe, a socket or a terminal: names differ by its version. */
const READ_FUNCTIONS = /pipe_read|unix_stream_read|unix_stream_data_wait|tty_read|wait_woken/;

/** Node.js reads from a pipe of its own while it starts a process, and closes it long before this time, ms. */
const SHORT_READ_MS = 300;
const LOOK_AGAIN_MS = 10;

/**
 * What the main thread waits for in a synchronous read, such as `readSync` of stdin; undefined where it waits in none.
 * Any signal ends such a read with the error EINTR, because neither Node.js nor libuv repeats it. Node.js repeats only
 * the read of its own pipe.
 */
export function synchronousReadOf(pid: number, state: string): string | undefined {
  // Sleeps, and is woken by signals: a read of a disk is not.
  if (state !== 'S') return undefined;
  const call = parseReadCall(read(`${pid}/syscall`), process.arch);
  if (call === undefined) {
    // The first file needs the right to trace the process, which a hardened system gives to its parents alone.
    return READ_FUNCTIONS.test(read(`${pid}/wchan`) ?? '') ? 'a pipe or a terminal' : undefined;
  }
  if (call === 'other') return undefined;
  const { descriptor } = call;
  const file = link(`${pid}/fd/${descriptor}`);
  for (let waitedMs = 0; waitedMs < SHORT_READ_MS; waitedMs += LOOK_AGAIN_MS) {
    if (file === undefined || link(`${pid}/fd/${descriptor}`) !== file) return undefined;
    sleep(LOOK_AGAIN_MS);
  }
  return `${file} (descriptor ${descriptor})`;
}

/** The checks before a signal are synchronous: nothing else of `loopwatch` runs meanwhile. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

/** Parses `/proc/PID/syscall`; undefined where it does not say which call that is. */
export function parseReadCall(
  text: string | undefined,
  architecture: NodeJS.Architecture,
): { readonly descriptor: number } | 'other' | undefined {
  return parseCall(READ_CALLS[architecture], text);
}
