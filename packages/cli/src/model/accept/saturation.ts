import type { Saturation } from '../delays/saturation.js';
import { accepted, count, duration, instanceId, name, oneOf, type Rules, share, stack, time } from '../rules.js';
import { STACK_QUALITIES } from '../types.js';
import { location } from './block.js';

const SATURATION: Rules<Saturation> = {
  instance: instanceId,
  threadName: name,
  startMs: time,
  durationMs: duration,
  utilization: share,
  runQueueMs: duration,
  gcMs: duration,
  culprit: location,
  share,
  stackQuality: oneOf(STACK_QUALITIES),
  request: name,
  requestShare: share,
  answerCount: count,
  profile: stack,
};

/** The saturation as it is kept; undefined without a time or a share. */
export function acceptSaturation(value: unknown): Saturation | undefined {
  return accepted<Saturation>(value, SATURATION, ['instance', 'threadName', 'startMs', 'durationMs', 'utilization']);
}
