import { CONFIRM_MS, type IdleState } from './idle-threads.js';

/** What is known of a thread that may be late. All times are on the shared clock, ms. */
export interface LatenessContext {
  readonly tickAt: number;
  readonly now: number;
  readonly suspectAfterMs: number;
  /** End of the last suspension of the process; 0 where the thread was late already, or there was none. */
  readonly suspendedUntil: number;
  /** The thread is known to be stalled in this iteration. */
  readonly isStalled: boolean;
  /** Absent where the thread ticks while it is idle, too. */
  readonly idle?: {
    /** When it was last seen polling; 0 if never. */
    readonly lastAt: number;
    readonly look: () => IdleState;
  };
}

export interface Lateness {
  /** When the thread was last known not to be blocked, apart from its last tick. */
  readonly notBlockedAt: number;
  /** From when on it is late. */
  readonly lateAt: number;
}

export function lateness({ tickAt, now, suspectAfterMs, suspendedUntil, isStalled, idle }: LatenessContext): Lateness {
  const notBlockedAt = Math.max(suspendedUntil, idle?.lastAt ?? 0);
  const lateAt = Math.max(tickAt, notBlockedAt) + suspectAfterMs;
  // Threads in idle mode are looked at early, and so together: hundreds one by one would keep the watchdog awake.
  if (!idle || now < lateAt - suspectAfterMs / 2) return { notBlockedAt, lateAt };
  const state = idle.look();
  if (state === 'idle') return { notBlockedAt: now, lateAt: now + suspectAfterMs };
  // A thread may enter idle mode when its block is nearly over: it has not recovered because it is looked at only now.
  const isSure = state === 'blocked' || isStalled;
  return { notBlockedAt, lateAt: isSure ? lateAt : Math.max(lateAt, now + Math.min(CONFIRM_MS, suspectAfterMs)) };
}
