import { diag } from '@opentelemetry/api';
import { drop } from './contract/guard.js';
import { PROTOCOL, shared } from './monitor/shared-thread.js';

/** From when on the event loop of the main thread counts as overloaded. */
export interface OverloadLimits {
  /**
   * Lag, in ms, above which the loop is overloaded: how late the last heartbeat was, until the loop has been idle, or
   * how long the loop has been busy without a break. A request that is read now has waited for up to that time. With a
   * smaller limit, requests that are accepted are answered sooner, and more are refused. The lag is too small by the
   * interval of the heartbeat at most, which is half of `blockedThresholdMs` and at most 50 ms. `Infinity`: the lag does
   * not count.
   * @default 200
   */
  lagMs?: number;
  /**
   * Busy share of the loop in the last half to whole second above which the loop is overloaded, from 0 to 1. It shows what
   * the lag does not: new connections that wait to be accepted, of which Node.js accepts one in each iteration. 1: the
   * share does not count, for a process whose main thread also does work of its own all the time.
   * @default 0.98
   */
  utilization?: number;
}

const DEFAULT_LAG_MS = 200;
const DEFAULT_UTILIZATION = 0.98;

let hasWarned = false;

/**
 * Whether the event loop of the main thread lags or is busy above a limit: for a shedder, which then answers 503 and
 * does no work for the request. Reads what the heartbeat has written into the memory that the watchdog reads, so it has
 * no timer of its own. Also works with `watchdog: false`. `false` before the instrumentation is enabled and the
 * application's entry point has been evaluated, after it is disabled, and in worker threads. Never throws: a limit
 * that is no number from 0 on is reported once through `diag`, and the default applies.
 */
export function isOverloaded(limits?: OverloadLimits): boolean {
  try {
    const lagMs = limitOf(limits?.lagMs, DEFAULT_LAG_MS);
    const utilization = limitOf(limits?.utilization, DEFAULT_UTILIZATION);
    // The monitor of another version may not be able to say.
    return shared.protocol === PROTOCOL && shared.monitor?.isOverloaded(lagMs, utilization) === true;
  } catch (error) {
    drop(error);
    return false;
  }
}

function limitOf(value: unknown, defaultValue: number): number {
  if (typeof value === 'number' && value >= 0) return value;
  if (value !== undefined && !hasWarned) {
    hasWarned = true;
    diag.warn(
      'Expected lagMs and utilization of isOverloaded as numbers from 0 on, got another value: the default, ' +
        `${defaultValue}, applies. Correct the value.`,
    );
  }
  return defaultValue;
}
