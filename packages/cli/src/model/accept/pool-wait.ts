import type { PoolWait } from '../delays/thread-pool.js';
import { accepted, count, duration, flag, instanceId, names, oneOf, type Rules, time } from '../rules.js';

const POOL_WAIT: Rules<PoolWait> = {
  instance: instanceId,
  startMs: time,
  durationMs: duration,
  ended: flag,
  size: count,
  holders: (value) => names(value) ?? [],
  queued: (value) => names(value) ?? [],
  requests: names,
  lane: oneOf<'slow_io'>(['slow_io']),
};

/** The wait as it is kept; undefined without a time. */
export function acceptPoolWait(value: unknown): PoolWait | undefined {
  return accepted<PoolWait>(value, POOL_WAIT, ['instance', 'startMs', 'durationMs', 'holders', 'queued']);
}
