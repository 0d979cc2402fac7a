import type { Interval } from '../contract/interval.js';
import type { Reading, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { wasAsleepInLock } from './cause.js';
import { hasLeftNoStack } from './visible-frames.js';

/** A shorter wait, ms, changes no block. */
const MIN_WAIT_MS = 20;

/**
 * Splits a busy period where the event loop had nothing left to do: before Node.js ends, it waits until V8's threads have
 * finished their tasks, and looks again whether something keeps the loop alive. WebAssembly that is compiled meanwhile
 * does not (Node.js 20 and 22). No callback is delayed. Returns the busy parts, which may be blocks, and the waits,
 * which are not counted.
 *
 * The thread sleeps in a lock then, with no JavaScript on its stack, and answers the watchdog's question when it wakes.
 */
export function splitAtWaits(period: BusyPeriod): { parts: BusyPeriod[]; waits: Interval[] } {
  if (period.hang !== undefined || !wasAsleepInLock(period.looks)) return { parts: [period], waits: [] };
  const parts: BusyPeriod[] = [];
  const waits: Interval[] = [];
  let rest = period;
  let before: Sample | undefined;
  for (const sample of period.samples) {
    const wait = { start: waitStart(sample, before, period), end: sample.takenAt };
    if (hasLeftNoStack(sample) && wait.end - wait.start >= MIN_WAIT_MS) {
      // A sleeping thread uses no CPU, and the loop does not poll within a busy period.
      const readingAt = (at: number): Reading => ({ at, idleTime: period.after.idleTime, times: sample.threadTimes });
      const [first, second] = splitSamples(rest.samples, sample);
      parts.push({ ...rest, end: wait.start, samples: first, looks: undefined, after: readingAt(wait.start) });
      rest = { ...rest, start: wait.end, samples: second, looks: undefined, before: readingAt(wait.end) };
      waits.push(wait);
    }
    before = sample;
  }
  return { parts: [...parts, rest], waits };
}

/**
 * The thread computed before it slept. Its time in the run queue is left out: a part of it was before the period, and a
 * part after the sleep.
 */
function waitStart(sample: Sample, before: Sample | undefined, period: BusyPeriod): number {
  const times = before === undefined ? period.before?.times : before.threadTimes;
  const since = before === undefined ? period.start : before.takenAt;
  if (times === undefined || sample.threadTimes === undefined) return sample.requestedAt;
  return Math.min(since + sample.threadTimes.cpuMs - times.cpuMs, sample.takenAt);
}

function splitSamples(samples: readonly Sample[], at: Sample): [Sample[], Sample[]] {
  const isBefore = ({ takenAt }: Sample): boolean => takenAt < at.takenAt;
  return [samples.filter(isBefore), samples.filter((sample) => sample !== at && !isBefore(sample))];
}
