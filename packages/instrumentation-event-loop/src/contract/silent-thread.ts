/*
 * What the kernel shows of a thread that does not answer: it is inside a call that V8 cannot interrupt. Plain functions,
 * for the watchdog and for `loopwatch dump`.
 */

/** How a thread spent a time, as the kernel counts it; undefined where it does not. */
export interface SilentTimes {
  readonly elapsedMs: number;
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
  /** Whether the kernel showed the thread as asleep, and not as running or ready to run. */
  readonly isAsleep: boolean | undefined;
}

/** What the thread does: it computes, sleeps, or waits for a CPU, so that it may answer yet. */
export type SilentState = 'computing' | 'asleep' | 'queued' | 'unknown';

/** A thread that computes uses more than this share of the time in which it does not wait for a CPU. */
const COMPUTING_SHARE = 0.5;
/** A thread that got less than this share of a CPU may have had no time to answer. */
const STARVED_SHARE = 0.1;

export function silentState({ elapsedMs, cpuMs, runQueueMs = 0, isAsleep }: SilentTimes): SilentState {
  if (cpuMs === undefined) return isAsleep === undefined ? 'unknown' : isAsleep ? 'asleep' : 'computing';
  if (runQueueMs >= elapsedMs * COMPUTING_SHARE && cpuMs < elapsedMs * STARVED_SHARE) return 'queued';
  if (cpuMs >= (elapsedMs - runQueueMs) * COMPUTING_SHARE) return 'computing';
  return isAsleep === true ? 'asleep' : 'unknown';
}

/** The process ids in the kernel's list of a thread's children, `/proc/PID/task/TID/children`. */
export function parseChildren(text: string): number[] {
  return text
    .split(' ')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Name and start, in ms since the system has booted, of a process, by the kernel's `/proc/PID/stat`. */
export function parseChild(text: string): { readonly name: string; readonly startedMs: number } | undefined {
  // The name of the process may contain anything.
  const end = text.lastIndexOf(')');
  const startedTicks = Number(text.slice(end + 2).split(' ')[19] ?? NaN);
  if (end === -1 || !Number.isFinite(startedTicks)) return undefined;
  return { name: text.slice(text.indexOf('(') + 1, end), startedMs: startedTicks * MS_PER_TICK };
}

/** `USER_HZ` is 100 on every architecture that Node.js supports. */
const MS_PER_TICK = 10;
