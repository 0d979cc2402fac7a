import { isOfNodeOrV8, isOwn, kindsOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Frame, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { ANSWER_MS, isLateAnswer, waitToAnswerMs } from './late-answers.js';
import { difference } from './thread-times.js';
import { hasApplication, isInAtomicsWait, visibleIn, type MapStack, type Visible } from './visible.js';

/**
 * A part of a busy period: the time for which one answer of the thread stands. The segments of a period follow each other
 * without gaps, and do not overlap. When the thread waited for a CPU within a segment is not known, only for how long.
 */
export interface Segment extends Interval, Visible {
  readonly sample: Sample;
  /** Time of the segment without what is outside of the block, ms. */
  readonly ms: number;
  /** The same without waits for a CPU. */
  readonly ranMs: number;
  /** The part of `ranMs` in which the thread was on a CPU, after the first question: what ran before it is a guess. */
  readonly computedMs: number;
  /**
   * The part of `ms` that the thread can have slept in the call that the answer shows, 0 where it shows none. One answer
   * may stand for a long time before the call, in which other code ran.
   */
  readonly asleepMs: number;
  /** Garbage collection between the question and its answer, ms. */
  readonly collectedMs: number;
}

/** A busy period, with readings of its thread's times before and after it where there are any. */
type SampledPeriod = Interval & Partial<Pick<BusyPeriod, 'before' | 'after'>>;

/**
 * Divides a busy period among its samples. They cannot count equally: their interval grows with the block, and a native
 * call of 700 ms yields only one. The time between two samples is divided equally between them, except that the time
 * from a question to its answer belongs to that sample alone. The first segment begins with the period, and the last one
 * ends with it. What is `outside` of the block, such as a suspension, counts for no segment.
 */
export function segmentsOf(
  samples: readonly Sample[],
  period: SampledPeriod,
  gcPauses: readonly Interval[] = [],
  outside: readonly Interval[] = [],
  mapStack: MapStack = (stack) => stack,
): Segment[] {
  const mapOnce = eachOnce(mapStack);
  const gaps = gapsOf(samples, period);
  let { start } = period;
  return samples.map((sample, i): Segment => {
    const { sentAt, takenAt } = sample;
    const [before, after] = [gaps[i]!, gaps[i + 1]!];
    const end = i === samples.length - 1 ? period.end : Math.max(start, Math.min(period.end, takenAt + after.firstMs));
    const ms = Math.max(0, end - start - overlapMs({ start, end }, outside));
    const answerMs = ranToAnswerMs(sample);
    const ranPartMs = before.ranMs - before.firstRanMs + after.firstRanMs;
    // A wait before the block may count as one within it, but none of the time for which the thread ran to answer.
    const ranMs = Math.min(ms, Math.max(ANSWER_MS, answerMs, ranPartMs));
    const askedMs = i === 0 ? answerMs + after.firstRanMs : Infinity;
    const collectedMs = overlapMs({ start: sentAt ?? takenAt, end: takenAt }, gcPauses);
    const isHeldUp = before.waitedMs > before.ms / 2;
    const visible = visibleIn(sample, isLateAnswer(sample, collectedMs, isHeldUp), mapOnce);
    const segment = {
      ...{ start, end, sample, ms, ranMs, collectedMs },
      ...visible,
      computedMs: Math.min(ranMs, before.usedMs, askedMs),
      asleepMs: visible.state === 'asleep' ? bounded(before.asleepMs + Math.min(after.firstMs, after.offCpuMs), ms) : 0,
    };
    start = end;
    return segment;
  });
}

/** The time between two samples, or between one and an end of the period. */
interface Gap {
  readonly ms: number;
  readonly waitedMs: number;
  /** Without waits for a CPU. In such a wait no function runs, and it would count for the one before or after it. */
  readonly ranMs: number;
  readonly usedMs: number;
  /** Without time on a CPU. A thread that each question wakes waits for a CPU then, which does not prolong its sleep. */
  readonly offCpuMs: number;
  /** The same without waits before the question: what waited then was not asleep, unless an earlier question woke it. */
  readonly asleepMs: number;
  /** What of `ms`, and of `ranMs`, belongs to the sample at its start. */
  readonly firstMs: number;
  readonly firstRanMs: number;
}

function gapsOf(samples: readonly Sample[], { start, end, before, after }: SampledPeriod): Gap[] {
  const ends = [...samples, { takenAt: end, threadTimes: after?.times }];
  return ends.map((to, i): Gap => {
    const first = samples[i - 1];
    const from = first ?? { takenAt: start, threadTimes: before?.times };
    const ms = to.takenAt - from.takenAt;
    const waitedMs = Math.max(0, difference(to.threadTimes?.runQueueMs, from.threadTimes?.runQueueMs) ?? 0);
    const ranMs = Math.max(0, ms - waitedMs);
    const usedMs = difference(to.threadTimes?.cpuMs, from.threadTimes?.cpuMs) ?? Infinity;
    const next = samples[i];
    // Any of what the first reading shows may have been before the period.
    const outsideMs = first || !before ? 0 : start - before.at;
    const onCpuMs = Math.max(0, usedMs === Infinity ? 0 : usedMs);
    const wasAsleep = first !== undefined && isInAtomicsWait(first);
    const unaskedMs = wasAsleep ? 0 : (difference(next?.sentRunQueueMs, from.threadTimes?.runQueueMs) ?? 0);
    const offCpuMs = ms - bounded(onCpuMs - outsideMs, ms);
    const asleepMs = ms - bounded(onCpuMs + Math.max(0, unaskedMs) - outsideMs, ms);
    const times = { ms, waitedMs, ranMs, usedMs, offCpuMs, asleepMs };
    // The ends of the period belong to the first and the last sample.
    if (!first || !next) return { ...times, firstMs: first ? ms : 0, firstRanMs: first ? ranMs : 0 };
    const firstMs = firstPartMs(first, next, ms, next.takenAt - next.requestedAt);
    return { ...times, firstMs, firstRanMs: firstPartMs(first, next, ranMs, ranToAnswerMs(next)) };
  });
}

function bounded(partMs: number, ms: number): number {
  return Math.min(Math.max(0, partMs), Math.max(0, ms));
}

/** What of the time between two samples belongs to the first one, where the second one took `answerMs` of it. */
function firstPartMs(first: Sample, next: Sample, ms: number, answerMs: number): number {
  const isOwnWork = showsOwnWork(first);
  // A question that arrives when the blocking code has just ended finds work of this package, which takes far less time
  // than lies between two samples.
  if (isOwnWork !== showsOwnWork(next)) return isOwnWork ? 0 : ms;
  return Math.max(0, ms - answerMs) / 2;
}

/** How long the thread ran to answer. The watchdog may wait for a CPU between its decision to ask and the question. */
function ranToAnswerMs(sample: Sample): number {
  return Math.max(0, sample.takenAt - (sample.sentAt ?? sample.requestedAt) - (waitToAnswerMs(sample) ?? 0));
}

/** Whether nothing but work of this package was running, such as its heartbeat. */
export function showsOnlyOwnWork(sample: Sample): boolean {
  return showsOwnWork(sample) && !hasApplication(kindsOf(sample.frames));
}

/** Whether work of this package was running, not code of the application that it has called. */
function showsOwnWork({ frames }: Sample): boolean {
  const running = frames.find((frame) => !isOfNodeOrV8(frame));
  return running !== undefined && isOwn(running);
}

/** Maps each frame once with each of its callers, whose place in the source map can have its name. */
function eachOnce(mapStack: MapStack): MapStack {
  const known = new Map<Frame, Map<Frame | undefined, Frame>>();
  return (stack) =>
    stack.map((frame, i) => {
      const withCallers = known.get(frame) ?? new Map<Frame | undefined, Frame>();
      known.set(frame, withCallers);
      const mapped = withCallers.get(stack[i + 1]) ?? mapStack(stack.slice(i, i + 2))[0] ?? frame;
      withCallers.set(stack[i + 1], mapped);
      return mapped;
    });
}

/** Sum of a time of the segments, ms; with a test, of those that pass it. */
export function sumMs(
  segments: readonly Segment[],
  time: 'ms' | 'ranMs' | 'computedMs' | 'asleepMs',
  test: (segment: Segment) => boolean = () => true,
): number {
  return segments.reduce((sum, segment) => (test(segment) ? sum + segment[time] : sum), 0);
}

/** The entries of the key that took longest, in their order; of the first such key where several took equally long. */
export function heaviest<T>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
  msOf: (entry: T) => number,
): readonly T[] {
  const groups = new Map<unknown, { readonly entries: T[]; ms: number }>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key) ?? { entries: [], ms: 0 };
    groups.set(key, group);
    group.entries.push(entry);
    group.ms += msOf(entry);
  }
  let most: { readonly entries: readonly T[]; readonly ms: number } = { entries: [], ms: -1 };
  for (const group of groups.values()) if (group.ms > most.ms) most = group;
  return most.entries;
}
