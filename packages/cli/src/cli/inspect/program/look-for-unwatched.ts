import process from 'node:process';

import type { UnwatchedProcess } from '../../../model/processes/unwatched.js';
import type { UnwatchedOptions, UnwatchedProcesses } from './unwatched-processes.js';

/** A process that ends sooner may be missed. */
const INTERVAL_MS = 400;
/** Share of a CPU that looking may use: with very many processes, it is done less often. */
const MAX_SHARE = 0.01;

/**
 * Looks for unwatched processes while the program runs, on Linux. Elsewhere there is no `/proc`, and none is found. Returns
 * a function that ends it and returns what was found. A program that ends before the first look does not load the rest.
 */
export function lookForUnwatched(options: UnwatchedOptions): () => UnwatchedProcess[] {
  let processes: UnwatchedProcesses | undefined;
  let hasEnded = false;
  const look = async (): Promise<void> => {
    processes ??= new (await import('./unwatched-processes.js')).UnwatchedProcesses(options);
    if (hasEnded) return;
    const before = process.cpuUsage();
    processes.look();
    const { user, system } = process.cpuUsage(before);
    timer = lookAfter(Math.max(INTERVAL_MS, (user + system) / 1000 / MAX_SHARE));
  };
  const lookAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      // The program may remove the package of Loopwatch, as `npm ci` does, so that nothing more can be loaded.
      look().catch(() => undefined);
    }, ms);
  let timer = lookAfter(INTERVAL_MS);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    return processes?.found ?? [];
  };
}
