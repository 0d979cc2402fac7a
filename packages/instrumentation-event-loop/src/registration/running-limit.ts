import { Math } from '../contract/built-ins.js';

/** A limit passes in steps of this length, in ms. A step in which the process could not run counts once. */
const STEP_MS = 50;
/** A limit lasts at most this many times its length, however seldom the process runs. */
const MAX_STRETCH = 2;

export interface RunningLimitOptions {
  readonly now: () => number;
  readonly timers: {
    readonly setTimeout: (callback: () => void, ms: number) => NodeJS.Timeout;
    readonly clearTimeout: (timeout: NodeJS.Timeout | undefined) => void;
  };
}

/**
 * Calls back after `limitMs` in which the process can run; see `MAX_STRETCH`. Returns a function that cancels. What `callback`
 * throws becomes an uncaught exception.
 */
export function afterRunning(limitMs: number, callback: () => void, options: RunningLimitOptions): () => void {
  const { now, timers } = options;
  const deadline = now() + limitMs * MAX_STRETCH;
  let timeout: NodeJS.Timeout | undefined;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(STEP_MS, leftMs);
    // eslint-disable-next-line no-restricted-syntax -- not guarded, for what `callback` throws
    timeout = timers.setTimeout(() => {
      if (leftMs <= stepMs || now() >= deadline) callback();
      else wait(leftMs - stepMs);
    }, stepMs);
  };
  wait(limitMs);
  return () => {
    timers.clearTimeout(timeout);
  };
}
