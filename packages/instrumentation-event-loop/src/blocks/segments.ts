import { isOfNodeOrV8, isOwn, kindsOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Frame, Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { ANSWER_MS, isLateAnswer, waitToAnswerMs } from './late-answers.js';
import { difference } from './thread-times.js';
import { hasApplication, visibleIn, type MapStack, type Visible } from './visible.js';

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
  const inSource = eachOnce(mapStack);
  const ran = withoutWaits(samples, period);
  const ranParts = divide(ran.samples, ran.period);
  return divide(samples, period).map((part, i): Segment => {
    const sample = samples[i]!;
    const before = samples[i - 1] ?? { takenAt: period.start, threadTimes: period.before?.times };
    const usedMs = difference(sample.threadTimes?.cpuMs, before.threadTimes?.cpuMs) ?? Infinity;
    const waitedMs = difference(sample.threadTimes?.runQueueMs, before.threadTimes?.runQueueMs) ?? 0;
    const isHeldUp = waitedMs > (sample.takenAt - before.takenAt) / 2;
    const collectedMs = overlapMs({ start: sample.sentAt ?? sample.takenAt, end: sample.takenAt }, gcPauses);
    const { requestedAt, takenAt } = ran.samples[i]!;
    const ranPart = ranParts[i]!;
    const ms = Math.max(0, part.end - part.start - overlapMs(part, outside));
    // A wait before the block may count as one within it, but none of the time for which the thread ran to answer.
    const ranMs = Math.min(ms, Math.max(ANSWER_MS, takenAt - requestedAt, ranPart.end - ranPart.start));
    const askedMs = i === 0 ? ranPart.end - requestedAt : Infinity;
    return {
      ...part,
      ...visibleIn(sample, isLateAnswer(sample, collectedMs, isHeldUp), inSource),
      sample,
      ms,
      ranMs,
      computedMs: Math.min(ranMs, usedMs, askedMs),
      collectedMs,
    };
  });
}

function divide(samples: readonly Sample[], { start, end }: Interval): Interval[] {
  let from = start;
  return samples.map((sample, i) => {
    const next = samples[i + 1];
    const to = next === undefined ? end : Math.max(from, Math.min(end, boundary(sample, next)));
    const part = { start: from, end: to };
    from = to;
    return part;
  });
}

/** Where the time of a sample ends and the time of the next one begins. */
function boundary(sample: Sample, next: Sample): number {
  const isOwnSample = showsOwnWork(sample);
  // A question that arrives when the blocking code has just ended finds work of this package, which takes far less time
  // than lies between two samples.
  if (isOwnSample !== showsOwnWork(next)) return isOwnSample ? sample.takenAt : next.takenAt;
  return (sample.takenAt + Math.max(sample.takenAt, next.requestedAt)) / 2;
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

/**
 * The samples and the period on the clock of a thread that never waits for a CPU. In such a wait no function runs, and it
 * would count for the function that runs before or after it.
 */
function withoutWaits(samples: readonly Sample[], period: SampledPeriod): { samples: Sample[]; period: Interval } {
  let at = period.start;
  let ranAt = period.start;
  let waitedMs = period.before?.times?.runQueueMs;
  const advance = (to: number, runQueueMs: number | undefined): number => {
    ranAt += Math.max(0, to - at - Math.max(0, difference(runQueueMs, waitedMs) ?? 0));
    at = to;
    waitedMs = runQueueMs ?? waitedMs;
    return ranAt;
  };
  const ranSamples = samples.map((sample) => {
    // The watchdog may wait for a CPU between its decision to ask and the question.
    const askedAt = sample.sentAt ?? sample.requestedAt;
    const answerMs = Math.max(0, sample.takenAt - askedAt - (waitToAnswerMs(sample) ?? 0));
    const takenAt = advance(sample.takenAt, sample.threadTimes?.runQueueMs);
    return { ...sample, requestedAt: takenAt - answerMs, takenAt };
  });
  const end = advance(period.end, period.after?.times?.runQueueMs);
  return { samples: ranSamples, period: { start: period.start, end } };
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
  time: 'ms' | 'ranMs' | 'computedMs',
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
