import type { BusyAnswers, BusyPeriod } from '../busy-time/busy.js';
import { accepted, count, duration, id, instanceId, name, type Rule, type Rules, stack, time } from '../rules.js';
import { location } from './block.js';

/** More than a watchdog asks in a second, and more than a metric has series. */
const MAX_ANSWERS = 1_000;
const isTrue: Rule<true> = (value) => (value === true ? true : undefined);
/** Answers without a weight say nothing. */
const weight: Rule<number> = (value) => (value === 0 ? undefined : duration(value));

const ANSWERS: Rules<BusyAnswers> = {
  request: name,
  culprit: location,
  stack,
  isInBlock: isTrue,
  weight,
  lateWeight: weight,
};

const PERIOD: Rules<BusyPeriod> = {
  instance: instanceId,
  threadName: name,
  threadId: id,
  startMs: time,
  endMs: time,
  busyMs: duration,
  runQueueMs: duration,
  gcMs: duration,
  gcMeasuredMs: duration,
  answerCount: count,
  answers: (value) =>
    Array.isArray(value)
      ? value.slice(0, MAX_ANSWERS).flatMap((item: unknown) => accepted<BusyAnswers>(item, ANSWERS, ['weight']) ?? [])
      : undefined,
};

/** The period as it is kept; undefined without a time, and where the loop was not busy. */
export function acceptBusyPeriod(value: unknown): BusyPeriod | undefined {
  const period = accepted<BusyPeriod>(value, PERIOD, [
    'instance',
    'threadName',
    'startMs',
    'endMs',
    'busyMs',
    'answers',
  ]);
  if (period === undefined || period.endMs < period.startMs || period.busyMs === 0) return undefined;
  return duration(period.endMs - period.startMs) === undefined ? undefined : period;
}
