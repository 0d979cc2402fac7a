import process from 'node:process';
import { closeSync, openSync, readlinkSync, readSync } from './file-functions.js';
import type { ThreadTimes } from './model.js';

export interface ThreadTimesReader {
  readonly read: () => ThreadTimes | undefined;
  readonly close: () => void;
}

/** Opens `/proc/<task>/schedstat` of a thread of this process; undefined where the kernel has none. */
export function openSchedstat(task: string): ThreadTimesReader | undefined {
  if (process.platform !== 'linux') return undefined;
  let descriptor: number;
  const buffer = Buffer.alloc(80);
  const read = (): ThreadTimes | undefined => {
    try {
      // Three numbers: ns on a CPU, ns runnable but waiting, number of time slices.
      const text = buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
      const [cpu, runQueue] = text.split(' ', 2);
      const cpuMs = Number(cpu) / 1e6;
      const runQueueMs = Number(runQueue) / 1e6;
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
  const close = (): void => {
    try {
      closeSync(descriptor);
    } catch {
      // The application has closed all descriptors: nothing is left to close.
    }
  };
  const first = read();
  if (first === undefined || first.cpuMs === 0) {
    close(); // a kernel without scheduler statistics returns 0
    return undefined;
  }
  return { read, close };
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
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(id) ? id : 0;
  } catch {
    return 0;
  }
}
