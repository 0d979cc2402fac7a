import { setTimeout as sleep } from 'node:timers/promises';

import { Refusal } from '../../platform/refusal.js';
import { childrenOf, isThreadReady, type ProcessInfo, threadCpuMs } from './processes.js';
import { isLoopHeldUp } from './wake-ups.js';

/** A main thread that uses less of the CPU is not inside a native computation. */
const BUSY_SHARE = 0.5;
const OWN_CPU_MS = 100;

/** The share of a CPU that the main thread uses now, 0 to 1; undefined where the kernel does not count it. */
export async function mainCpuShare(pid: number): Promise<number | undefined> {
  const before = threadCpuMs(pid, pid);
  await sleep(OWN_CPU_MS);
  const after = threadCpuMs(pid, pid);
  return before === undefined || after === undefined ? undefined : Math.min(1, (after - before) / OWN_CPU_MS);
}

/**
 * Throws where a process has not opened its inspector on SIGUSR1 although Node.js could have done so: the program has a
 * listener of its own for the signal. This cannot be seen before the signal is sent.
 */
export async function assertNoOwnListener(info: ProcessInfo, cpuShare: number | undefined): Promise<void> {
  if ((await isLoopHeldUp(info.pid)) ?? mayBeBusy(info.pid, cpuShare)) return;
  throw new Refusal(
    `process ${info.pid} to open its inspector on SIGUSR1`,
    'none, although Node.js could have opened it',
    'The program has probably a listener of its own for SIGUSR1, which has got the signal. Start it with --inspect, or ' +
      'with: loopwatch run',
  );
}

/** For a system that does not show wake-ups. */
function mayBeBusy(pid: number, cpuShare: number | undefined): boolean {
  // A thread that waits for a CPU uses none on a busy machine, and is not idle.
  return isThreadReady(pid, pid) === true || (cpuShare ?? 1) >= BUSY_SHARE || childrenOf(pid).length > 0;
}
