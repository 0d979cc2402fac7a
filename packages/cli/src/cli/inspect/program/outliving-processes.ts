import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

import { ENV_RUN_DIRECTORY } from '../../../channel/contract.js';
import type { UnwatchedProcess } from '../../../model/processes/unwatched.js';
import { platform } from '../../platform/current.js';
import { entries } from '../../platform/proc-files.js';

/** A process that ends with the program, such as a worker of a cluster, has ended after this time, ms. */
const ENDS_WITHIN_MS = 300;
const LOOK_INTERVAL_MS = 20;

/**
 * Node.js processes of the program with the channel in `directory` that go on after its end, on Linux: a daemon that it has
 * started. Nearly all programs leave none, and do not load what describes one.
 */
export async function outlivingProcesses(directory: string, withArguments: boolean): Promise<UnwatchedProcess[]> {
  const variable = `${ENV_RUN_DIRECTORY}=${directory}`;
  let pids = pidsOfSystem().filter((pid) => isOf(pid, variable));
  const deadlineAt = performance.now() + ENDS_WITHIN_MS;
  while (pids.length > 0 && performance.now() < deadlineAt) {
    await setTimeout(LOOK_INTERVAL_MS);
    pids = pids.filter((pid) => isOf(pid, variable));
  }
  if (pids.length === 0) return [];
  const { describeOutliving } = await import('./describe-outliving.js');
  return describeOutliving(pids, withArguments);
}

function pidsOfSystem(): number[] {
  return entries('')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** The kernel shows no environment of a process that has ended. */
function isOf(pid: number, variable: string): boolean {
  return platform().environment(pid).includes(variable);
}
