import process from 'node:process';

import { ENV_RUN_DIRECTORY } from '../../../channel/contract.js';
import { entries } from '../../platform/proc-files.js';
import { descendantIdsOf } from '../process/descendants.js';
import { environmentOf, type ProcessInfo, readProcess } from '../process/processes.js';

/**
 * The processes of the program that `loopwatch run` has started with the channel in `directory`, on Linux: those that have
 * inherited its variable, also where their parent has ended, and what is below them. They are not a process group of their
 * own: in one, the program would lose its terminal and Ctrl+C. `known`: others of the program that run now.
 */
function programProcesses(directory: string, known: readonly number[] = []): ProcessInfo[] {
  const variable = `${ENV_RUN_DIRECTORY}=${directory}`;
  const marked = entries('')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(variable));
  const roots = [...marked, ...known];
  return [...new Set([...roots, ...roots.flatMap(descendantIdsOf)])]
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => readProcess(pid) ?? [])
    .filter(({ state }) => state !== 'Z');
}

/**
 * The processes of a program that is being ended. A child with an environment of its own is known by its parent alone:
 * what was seen once stays one of the program's when the parent has ended.
 */
export class ProgramProcesses {
  readonly #directory: string;
  /** Start of each, by its id, which another process may have later. */
  readonly #startedMs = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Ids of those that run now. */
  pids(): number[] {
    const known = [...this.#startedMs].filter(([pid, startedMs]) => readProcess(pid)?.startedMs === startedMs);
    const running = programProcesses(
      this.#directory,
      known.map(([pid]) => pid),
    );
    for (const { pid, startedMs } of running) this.#startedMs.set(pid, startedMs);
    return running.map(({ pid }) => pid);
  }
}
