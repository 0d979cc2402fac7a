import process from 'node:process';

import { ENV_RUN_DIRECTORY } from '../../../channel/contract.js';
import { entries } from '../../platform/proc-files.js';
import { descendantIdsOf } from '../process/descendants.js';
import { environmentOf, type ProcessInfo, readProcess } from '../process/processes.js';

/**
 * The processes of the program that `loopwatch run` has started with the channel in `directory`, on Linux: those that have
 * inherited its variable, also where their parent has ended, and what is below them. They are not a process group of their
 * own: in one, the program would lose its terminal and Ctrl+C.
 */
export function programProcesses(directory: string): ProcessInfo[] {
  const variable = `${ENV_RUN_DIRECTORY}=${directory}`;
  const marked = entries('')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(variable));
  return [...new Set([...marked, ...marked.flatMap(descendantIdsOf)])]
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => readProcess(pid) ?? [])
    .filter(({ state }) => state !== 'Z');
}
