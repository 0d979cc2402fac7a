import fs from 'node:fs';
import process from 'node:process';

// Taken when the module loads, so that file-system mocks in the application's tests do not replace them.
const { openSync, readSync, closeSync } = fs;

/** System call numbers of `epoll_wait`, `epoll_pwait` and `epoll_pwait2`, with which libuv polls. */
const POLL_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [232, 281, 441],
  arm64: [22, 441],
};

/** System call number of `futex`, by which a thread waits for another one: in a lock, or in `Atomics.wait`. */
const LOCK_CALL: Partial<Record<NodeJS.Architecture, string>> = { x64: '202', arm64: '98' };
/** The thread sleeps outside of a system call: it waits for a page of memory. */
const NO_CALL = '-1';

/**
 * What a thread does: it polls with that descriptor, runs or is ready to run, waits in a lock or for memory, or sleeps
 * elsewhere; `unseen` where the system does not show it.
 */
export type PollState = { readonly descriptor: number } | 'running' | 'lock' | 'elsewhere' | 'unseen';

export interface PollStateReader {
  readonly read: () => PollState;
  readonly close: () => void;
}

/** Opens a reader for a thread of this process. A read of the open file costs a third of a read by path. */
export function openPollState(osThreadId: number): PollStateReader {
  const buffer = Buffer.alloc(64);
  let descriptor: number | undefined;
  let lastPoll: KnownPoll | undefined;
  try {
    if (process.platform === 'linux') descriptor = openSync(`/proc/self/task/${osThreadId}/syscall`, 'r');
  } catch {
    // The kernel has no such file, or the thread has ended.
  }
  return {
    read: () => {
      if (descriptor === undefined) return 'unseen';
      try {
        const length = readSync(descriptor, buffer, 0, buffer.length, 0);
        if (lastPoll !== undefined && beginsWith(buffer, length, lastPoll.text)) return lastPoll.state;
        const state = parseSystemCall(buffer.toString('latin1', 0, length), process.arch);
        if (typeof state === 'object') lastPoll = { text: beginningOf(buffer.toString('latin1', 0, length)), state };
        return state;
      } catch {
        return 'unseen';
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

/** A text with which `/proc/…/syscall` begins: the call and its first argument, each with the space after it. */
interface KnownPoll {
  readonly text: string;
  readonly state: PollState;
}

/** Whether the first `length` bytes of the buffer begin with the text. */
function beginsWith(buffer: Buffer, length: number, text: string): boolean {
  return buffer.toString('latin1', 0, Math.min(length, text.length)) === text;
}

/** The text up to the second space, which is the same in each poll of a loop: parsing it again would cost more. */
function beginningOf(text: string): string {
  return text.slice(0, text.indexOf(' ', text.indexOf(' ') + 1) + 1);
}

/** Parses the kernel's `/proc/…/syscall`: the number of the system call and its arguments in hex, or `running`. */
export function parseSystemCall(text: string, architecture: NodeJS.Architecture): PollState {
  const calls = POLL_CALLS[architecture];
  if (!calls) return 'unseen';
  const [call = '', descriptor = ''] = text.trim().split(' ', 2);
  if (call === 'running') return 'running';
  if (!/^-?\d+$/.test(call)) return 'unseen';
  if (call === LOCK_CALL[architecture] || call === NO_CALL) return 'lock';
  return calls.includes(Number(call)) && /^0x[\da-f]+$/.test(descriptor)
    ? { descriptor: Number(descriptor) }
    : 'elsewhere';
}
