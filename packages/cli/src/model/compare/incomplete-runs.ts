import type { ComparedRecording } from './verdict.js';

/** A program that a signal stops after its test, as a server, has done its work. */
const STOPPED = [0, 129, 130, 143];
const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/**
 * The runs that may not show what the program does: nothing was watched, or it failed where others did not. What ends at
 * its start blocks nothing, and is no better build.
 */
export function incompleteRuns<T extends ComparedRecording>(all: readonly T[]): T[] {
  const ends = new Set(all.map(({ exit }) => `${exit.code ?? ''} ${exit.signal ?? ''}`));
  return all.filter(({ processes, exit }) => processes.length === 0 || (ends.size > 1 && !hasDoneItsWork(exit)));
}

function hasDoneItsWork({ code, signal, killedAfterMs }: ComparedRecording['exit']): boolean {
  if (killedAfterMs !== undefined) return true;
  return signal === undefined ? STOPPED.includes(code ?? 0) : STOP_SIGNALS.includes(signal);
}
