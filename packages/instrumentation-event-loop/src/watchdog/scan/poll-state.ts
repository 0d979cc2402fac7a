import fs from 'node:fs';
import process from 'node:process';

// Taken at load: mocked file systems in the application's tests must not reach us.
const { openSync, readSync, closeSync } = fs;

/** Numbers of `epoll_wait`, `epoll_pwait` and `epoll_pwait2`, with which libuv polls. */
const POLL_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [232, 281, 441],
  arm64: [22, 441],
};

/** Where a thread is: polling by that descriptor, somewhere else, or not to be seen on this machine. */
export type PollState = { readonly descriptor: number } | 'elsewhere' | 'unseen';

export interface PollStateReader {
  readonly read: () => PollState;
  readonly close: () => void;
}

/** Reads where a thread of this process is, by its id of the operating system. Open, it costs a third of a read by path. */
export function openPollState(osThreadId: number): PollStateReader {
  const buffer = Buffer.alloc(64);
  let descriptor: number | undefined;
  try {
    if (process.platform === 'linux') descriptor = openSync(`/proc/self/task/${osThreadId}/syscall`, 'r');
  } catch {
    // The kernel has no such file, or the thread is gone.
  }
  return {
    read: () => {
      if (descriptor === undefined) return 'unseen';
      try {
        const length = readSync(descriptor, buffer, 0, buffer.length, 0);
        return parseSystemCall(buffer.toString('latin1', 0, length), process.arch);
      } catch {
        return 'unseen';
      }
    },
    close: () => {
      try {
        if (descriptor !== undefined) closeSync(descriptor);
      } catch {
        // Somebody closed all descriptors: nothing is left to close.
      }
      descriptor = undefined;
    },
  };
}

/** Of the kernel's `/proc/…/syscall`: the number of the system call and its arguments in hex, or `running`. */
export function parseSystemCall(text: string, architecture: NodeJS.Architecture): PollState {
  const calls = POLL_CALLS[architecture];
  if (!calls) return 'unseen';
  const [call = '', descriptor = ''] = text.trim().split(' ', 2);
  if (!/^(-?\d+|running)$/.test(call)) return 'unseen';
  return calls.includes(Number(call)) && /^0x[\da-f]+$/.test(descriptor)
    ? { descriptor: Number(descriptor) }
    : 'elsewhere';
}
