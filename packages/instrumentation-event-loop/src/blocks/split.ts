import { kindOf, standsAtEntry } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Reading, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { stateInLooks } from './cause.js';
import { BOUNDS_MS } from './limits.js';
import { difference } from './thread-times.js';

/** A busy period without its idle time: the parts may be blocks, the idle intervals are not counted. */
export interface Split {
  readonly parts: readonly BusyPeriod[];
  readonly idle: readonly Interval[];
}

/** `busy`: the thread worked, or slept with work pending; `idle`: it slept with nothing pending. */
interface Section extends Interval {
  readonly kind: 'busy' | 'idle';
  readonly samples: readonly Sample[];
}

/**
 * Splits a busy period of a worker thread at its sleeps. A pool worker waits for its next task in `Atomics.wait`,
 * inside an iteration that may never end.
 */
export function splitAtSleeps(period: BusyPeriod): Split {
  return split(period, sleepSections(period, period.samples));
}

/**
 * Splits a busy period where the event loop had nothing left to do: before Node.js ends, it waits until V8's threads have
 * finished their tasks, and looks again whether something keeps the loop alive. WebAssembly that is compiled meanwhile
 * does not (Node.js 20 and 22). No callback is delayed.
 *
 * The thread sleeps in a lock then, with no JavaScript on its stack, and answers the watchdog's question when it wakes.
 */
export function splitAtWaits(period: BusyPeriod): Split {
  const isWait = period.hang === undefined && stateInLooks(period.looks) === 'locked';
  return isWait ? split(period, waitSections(period)) : { parts: [period], idle: [] };
}

function split(period: BusyPeriod, sections: readonly Section[]): Split {
  if (sections.length === 1 && sections[0]?.kind !== 'idle') return { parts: [period], idle: [] };
  // A sleeping thread uses no CPU, so a reading within the sleep is also valid at its end; and the loop does not poll
  // within a busy period, so the idle time does not change.
  const reading = (at: number, sample: Sample | undefined): Reading | undefined =>
    sample && { at, idleTime: period.after.idleTime, times: sample.threadTimes };
  // The hang span belongs to the last part: the watchdog reports the current one.
  const last = sections.findLast(({ kind }) => kind !== 'idle');
  const parts = sections.flatMap((section, i) => {
    const { kind, start, end, samples } = section;
    if (kind === 'idle') return [];
    const before = reading(start, sections[i - 1]?.samples.at(-1)) ?? period.before;
    const after = reading(end, sections[i + 1]?.samples[0]) ?? period.after;
    const endings = period.endings.filter(({ at }) => at >= start && at <= end);
    const hang = section === last ? period.hang : undefined;
    return [{ ...period, start, end, samples, endings, looks: undefined, before, after, hang }];
  });
  return { parts, idle: sections.flatMap(({ kind, start, end }) => (kind === 'idle' ? [{ start, end }] : [])) };
}

/** The sections of a busy period, in order. Their bounds are as exact as the samples are frequent. */
export function sleepSections(period: Interval, samples: readonly Sample[]): Section[] {
  const sections: (Section & { end: number; samples: Sample[] })[] = [];
  for (const sample of samples) {
    const kind = sample.pending?.length === 0 ? 'idle' : 'busy';
    const last = sections.at(-1);
    if (last) last.end = last.kind === kind ? period.end : sample.requestedAt;
    if (last?.kind === kind) last.samples.push(sample);
    else sections.push({ kind, start: last?.end ?? period.start, end: period.end, samples: [sample] });
  }
  return sections.length > 0 ? sections : [{ start: period.start, end: period.end, kind: 'busy', samples: [] }];
}

function waitSections(period: BusyPeriod): Section[] {
  const sections: Section[] = [];
  let { start } = period;
  let samples: Sample[] = [];
  for (const [i, sample] of period.samples.entries()) {
    const wait = { start: waitStart(sample, period.samples[i - 1], period), end: sample.takenAt };
    if (hasLeftNoStack(sample) && wait.end - wait.start > BOUNDS_MS) {
      sections.push({ kind: 'busy', start, end: wait.start, samples }, { kind: 'idle', ...wait, samples: [sample] });
      start = wait.end;
      samples = [];
    } else samples.push(sample);
  }
  return [...sections, { kind: 'busy', start, end: period.end, samples }];
}

/**
 * Whether nothing was on the stack before the sample was taken: it has no frame, or only that of the function which Node
 * or V8 calls next, such as the clean-up of a `FinalizationRegistry`.
 */
function hasLeftNoStack({ frames: [top, ...callers], pending = [] }: Sample): boolean {
  if (pending.length > 0 || callers.length > 0) return false;
  return top === undefined || standsAtEntry(top) || kindOf(top) === 'builtin';
}

/**
 * The thread computed before it slept. Its time in the run queue is left out: a part of it was before the period, and a
 * part after the sleep.
 */
function waitStart(sample: Sample, before: Sample | undefined, period: BusyPeriod): number {
  const times = before === undefined ? period.before?.times : before.threadTimes;
  const computedMs = difference(sample.threadTimes?.cpuMs, times?.cpuMs);
  if (computedMs === undefined) return sample.requestedAt;
  return Math.min((before?.takenAt ?? period.start) + computedMs, sample.takenAt);
}
