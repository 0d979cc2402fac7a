import process from 'node:process';
import { closeSync, openSync, readSync } from '../../contract/file-functions.js';

/** CPU time of a thread in its own code and in the kernel, in ticks of the system: mostly 10 ms each. */
export interface CpuSplit {
  readonly user: number;
  readonly system: number;
}

export interface CpuSplitReader {
  readonly read: () => CpuSplit | undefined;
  readonly close: () => void;
}

/** Opens a reader for a thread of this process. */
export function openCpuSplit(osThreadId: number): CpuSplitReader {
  const buffer = Buffer.alloc(512);
  let descriptor: number | undefined;
  try {
    if (process.platform === 'linux') descriptor = openSync(`/proc/self/task/${osThreadId}/stat`, 'r');
  } catch {
    // The kernel has no such file, or the thread has ended.
  }
  return {
    read: () => {
      if (descriptor === undefined) return undefined;
      try {
        return parseCpuSplit(buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0)));
      } catch {
        return undefined;
      }
    },
    close: () => {
      try {
        if (descriptor !== undefined) closeSync(descriptor);
      } catch {
        // The application has closed all descriptors: nothing is left to close.
      }
      descriptor = undefined;
    },
  };
}

/** Parses the kernel's `/proc/…/stat`, in which the name of the thread may contain anything. */
export function parseCpuSplit(text: string): CpuSplit | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11] ?? NaN), Number(fields[12] ?? NaN)];
  return Number.isInteger(user) && Number.isInteger(system) ? { user, system } : undefined;
}

/** Fewer ticks between two readings show too little. */
const MIN_TICKS = 4;

/** Share of the kernel in the CPU time between two readings; NaN where it is unknown. */
export function systemShare(before: CpuSplit | undefined, after: CpuSplit | undefined): number {
  if (before === undefined || after === undefined) return NaN;
  const system = after.system - before.system;
  const ticks = after.user - before.user + system;
  return ticks >= MIN_TICKS ? system / ticks : NaN;
}
