import process from 'node:process';
import { Number } from './built-ins.js';
import { closeSync, fstatSync, openSync, readlinkSync, readSync } from './file-functions.js';
import type { ThreadTimes } from './model.js';

export interface ThreadTimesReader {
  readonly read: () => ThreadTimes | undefined;
  readonly close: () => void;
}

/** In bigints: see standard-descriptors.ts. */
const APART = { bigint: true } as const;

/** The file that has this descriptor; undefined where it is closed. */
function fileOf(descriptor: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(descriptor, APART);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Longer than three numbers of 64 bits. */
const SCHEDSTAT_BYTES = 80;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Opens `/proc/<task>/schedstat` of a thread of this process; undefined where the kernel has none. */
export function openSchedstat(task: string): ThreadTimesReader | undefined {
  if (process.platform !== 'linux') return undefined;
  let descriptor: number;
  const buffer = Buffer.alloc(SCHEDSTAT_BYTES);
  const read = (): ThreadTimes | undefined => {
    try {
      // Three numbers: ns on a CPU, ns runnable but waiting, number of time slices.
      const length = readSync(descriptor, buffer, 0, SCHEDSTAT_BYTES, 0);
      let at = 0;
      const nextMs = (): number => {
        const start = at;
        let ns = 0;
        for (; at < length && buffer[at]! >= DIGIT_0 && buffer[at]! <= DIGIT_9; at++)
          ns = ns * 10 + buffer[at]! - DIGIT_0;
        return at++ === start ? NaN : ns / 1e6;
      };
      const cpuMs = nextMs();
      const runQueueMs = nextMs();
      return Number.isFinite(cpuMs) && Number.isFinite(runQueueMs) ? { cpuMs, runQueueMs } : undefined;
    } catch {
      return undefined; // the thread has ended, or /proc cannot be read
    }
  };
  try {
    descriptor = openSync(`/proc/${task}/schedstat`, 'r');
  } catch {
    return undefined;
  }
  const opened = fileOf(descriptor);
  const close = (): void => {
    // The application may have closed all descriptors, as daemons do: another file may have got this number since.
    if (opened !== undefined && fileOf(descriptor) === opened) closeSync(descriptor);
  };
  const first = read();
  if (first === undefined || first.cpuMs === 0) {
    close(); // a kernel without scheduler statistics returns 0
    return undefined;
  }
  return { read, close };
}

/** A reading of thread times together with a clock that takes longer, ms, is repeated. */
const MAX_READING_MS = 1;
/** A thread can lose the CPU between two readings; that this happens in all of so many is very unlikely. */
const MAX_READINGS = 3;

/**
 * Reads a clock and the times of a thread at one moment. A thread that loses the CPU between the two would else have
 * waited or computed at a time that the clock does not cover, and seem to have slept at another.
 */
export function readTogether(
  now: () => number,
  readTimes: () => ThreadTimes | undefined,
): { readonly at: number; readonly times: ThreadTimes | undefined } {
  for (let count = 1; ; count++) {
    const at = now();
    const times = readTimes();
    if (count === MAX_READINGS || now() - at < MAX_READING_MS) return { at, times };
  }
}

/** CPU accounting of the calling thread: schedstat on Linux, else `process.threadCpuUsage` where Node has it. */
export function ownThreadTimes(): ThreadTimesReader {
  const schedstat = openSchedstat('thread-self');
  if (schedstat) return schedstat;
  const threadCpuUsage = (process as { threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.bind(process);
  return {
    read: () => {
      if (!threadCpuUsage) return undefined;
      const { user, system } = threadCpuUsage();
      return { cpuMs: (user + system) / 1e3, runQueueMs: undefined };
    },
    close: () => undefined,
  };
}

/** The operating system's id of the calling thread; 0 where it cannot be read. */
export function ownThreadId(): number {
  if (process.platform !== 'linux') return 0;
  try {
    const id = +(readlinkSync('/proc/thread-self').split('/').at(-1) ?? NaN);
    return Number.isInteger(id) ? id : 0;
  } catch {
    return 0;
  }
}
