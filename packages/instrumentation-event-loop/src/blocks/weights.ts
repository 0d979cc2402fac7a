import { isOwn, kindOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';

/**
 * A running thread answers within 0.1 ms, also on a machine that is overloaded nine times. An answer that takes longer
 * than this, in ms, was delayed by code that V8 cannot interrupt. The larger value is for systems that do not record
 * how long a thread waits for a CPU: there, such a wait looks the same.
 */
const LATE_ANSWER_MS = 0.5;
const LATE_ANSWER_UNKNOWN_WAIT_MS = 15;
/** The same for the first answer of a thread, which takes 1 to 5 ms. */
const LATE_FIRST_ANSWER_MS = 10;
/**
 * The same for a thread that waited for a CPU for most of the time before, as in a quota: all threads of the process run
 * again after 80 ms, with cold caches. Their answers took 0.3 to 1.5 ms, and 2 to 5 ms in one of thirty; the first one
 * up to 16 ms.
 */
const LATE_ANSWER_HELD_UP_MS = 5;
const LATE_FIRST_ANSWER_HELD_UP_MS = 30;
/** Share of the time from which on such waits are most of it. */
const HELD_UP_SHARE = 2 / 3;

export interface WeightedSample {
  readonly sample: Sample;
  /** Time of the block that the sample represents. */
  readonly weightMs: number;
  /** The same without the time in which the thread waited for a CPU. */
  readonly ranMs: number;
  /** The part of `ranMs` in which the sample shows what ran: the rest was not sampled. */
  readonly evidenceMs: number;
  /** The part of `evidenceMs` in which the thread was on a CPU. */
  readonly computedMs: number;
  /** The sample was taken only after an uninterruptible call had returned. */
  readonly isLate: boolean;
  /** Garbage collection between the question and its answer. */
  readonly gcMs: number;
  /** Time on a CPU and in the run queue since the previous sample; undefined where unknown. */
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
}

/** A block, with readings of its thread's times before and after it where there are any. */
type WeighedBlock = Interval & Partial<Pick<BusyPeriod, 'before' | 'after'>>;

/**
 * Gives each sample the time that it represents. Samples cannot count equally: their interval grows with the block, and
 * a native call of 700 ms yields only one sample. The time between two samples is divided equally between them, except
 * that the time from a request to its sample belongs to that sample alone. The last sample extends to the block's end.
 * `gcPauses` are the known garbage collections. What is `excluded` from the block belongs to no sample: the weights add
 * up to the block's duration.
 */
export function weighSamples(
  samples: readonly Sample[],
  block: WeighedBlock,
  gcPauses: readonly Interval[] = [],
  excluded: readonly Interval[] = [],
): WeightedSample[] {
  const weightsMs = divide(samples, block, excluded);
  const ran = withoutWaits(samples, block);
  const ranWeightsMs = divide(ran.samples, ran.block);
  return samples.map((sample, i): WeightedSample => {
    const before = samples[i - 1];
    const weightMs = weightsMs[i]!;
    const answer = ran.samples[i]!;
    // A wait before the block may count as one within it, but none of the time for which the thread ran to answer.
    const ranAtLeastMs = Math.max(MIN_EVIDENCE_MS, answer.takenAt - answer.requestedAt);
    const ranMs = Math.min(weightMs, Math.max(ranAtLeastMs, ranWeightsMs[i]!));
    const evidenceMs = Math.min(ranMs, evidenceOf(answer, ran.samples[i - 1], ran.samples[i + 1]));
    // Of the first sample, from the reading before the block on: at most a little more than within the block.
    const timesBefore = before?.threadTimes ?? block.before?.times;
    const waitedMs = difference(sample.threadTimes?.runQueueMs, timesBefore?.runQueueMs) ?? 0;
    const isHeldUp = waitedMs > (sample.takenAt - (before?.takenAt ?? block.start)) * HELD_UP_SHARE;
    const usedMs = difference(sample.threadTimes?.cpuMs, timesBefore?.cpuMs);
    return {
      sample,
      weightMs,
      ranMs,
      evidenceMs,
      computedMs: Math.min(evidenceMs, Math.max(MIN_EVIDENCE_MS, usedMs ?? Infinity)),
      isLate: isLate(sample, gcPauses, isHeldUp),
      gcMs: gcMsBefore(sample, gcPauses),
      cpuMs: difference(sample.threadTimes?.cpuMs, before?.threadTimes?.cpuMs),
      runQueueMs: difference(sample.threadTimes?.runQueueMs, before?.threadTimes?.runQueueMs),
    };
  });
}

function divide(samples: readonly Sample[], block: Interval, excluded: readonly Interval[] = []): number[] {
  let from = block.start;
  return samples.map((sample, i) => {
    const next = samples[i + 1];
    const to = next === undefined ? block.end : Math.min(block.end, boundary(sample, next));
    const weightMs = Math.max(0, to - from - overlapMs({ start: from, end: to }, excluded));
    from = to;
    return weightMs;
  });
}

/**
 * The samples and the block as on a host where the thread never waits for a CPU. In such a wait no function runs, and it
 * would count for the function that runs before or after it.
 */
function withoutWaits(samples: readonly Sample[], block: WeighedBlock): { samples: Sample[]; block: Interval } {
  let at = block.start;
  let ranAt = block.start;
  let waitedMs = block.before?.times?.runQueueMs;
  const advance = (to: number, runQueueMs: number | undefined): number => {
    ranAt += Math.max(0, to - at - Math.max(0, difference(runQueueMs, waitedMs) ?? 0));
    at = to;
    waitedMs = runQueueMs ?? waitedMs;
    return ranAt;
  };
  const ranSamples = samples.map((sample) => {
    // The watchdog may wait for a CPU between its decision to ask and the question.
    const askedAt = sample.sentAt ?? sample.requestedAt;
    const answerMs = Math.max(0, sample.takenAt - askedAt - (waitForCpuMs(sample) ?? 0));
    const takenAt = advance(sample.takenAt, sample.threadTimes?.runQueueMs);
    return { ...sample, requestedAt: takenAt - answerMs, takenAt };
  });
  return {
    samples: ranSamples,
    block: { start: block.start, end: advance(block.end, block.after?.times?.runQueueMs) },
  };
}

/**
 * A sample is evidence for as long as its neighbours are away, not for the time before the first question or in which
 * the watchdog itself waited for a CPU: of a function that it shows, the callers may have run then, but hardly all of
 * that time the function itself. The wait for an answer is evidence as a whole.
 */
function evidenceOf(sample: Sample, before: Sample | undefined, next: Sample | undefined): number {
  const nearestMs = Math.min(
    before === undefined ? Infinity : sample.takenAt - before.takenAt,
    next === undefined ? Infinity : next.takenAt - sample.takenAt,
  );
  return Math.max(MIN_EVIDENCE_MS, sample.takenAt - sample.requestedAt + nearestMs * EVIDENCE_PER_DISTANCE);
}

/** More than 1, because the distance of samples grows with the block. */
const EVIDENCE_PER_DISTANCE = 1.5;
const MIN_EVIDENCE_MS = 1;

/**
 * Whether the sample was taken only when an uninterruptible call had returned. V8 interrupts running JavaScript at once;
 * a thread that waits for a CPU or collects garbage is late without such a call.
 */
function isLate(sample: Sample, gcPauses: readonly Interval[], isHeldUp: boolean): boolean {
  const { sentAt, takenAt } = sample;
  if (sentAt === undefined) return false;
  const ranMs = ranUntilAnswerMs(sample, gcPauses);
  if (ranMs !== undefined) return ranMs > lateAfterMs(sample, isHeldUp);
  return takenAt - sentAt - gcMsBefore(sample, gcPauses) > LATE_ANSWER_UNKNOWN_WAIT_MS;
}

function lateAfterMs({ isFirst }: Sample, isHeldUp: boolean): number {
  if (isHeldUp) return isFirst ? LATE_FIRST_ANSWER_HELD_UP_MS : LATE_ANSWER_HELD_UP_MS;
  return isFirst ? LATE_FIRST_ANSWER_MS : LATE_ANSWER_MS;
}

/** Within this time, ms, a thread that others keep from a CPU gets its share of it. */
const MIN_SHARED_MS = 200;

/**
 * How long the thread ran until it answered, without collections. It also waits for a CPU within a collection, so that the
 * two cannot both be subtracted as a whole: of a longer time, each part has its share of the waits.
 */
function ranUntilAnswerMs(sample: Sample, gcPauses: readonly Interval[]): number | undefined {
  const waitedMs = waitForCpuMs(sample);
  if (sample.sentAt === undefined || waitedMs === undefined) return undefined;
  const answerMs = sample.takenAt - sample.sentAt;
  const outsideMs = answerMs - gcMsBefore(sample, gcPauses);
  const ranMs = outsideMs - waitedMs;
  if (outsideMs === answerMs || outsideMs < MIN_SHARED_MS) return ranMs;
  return Math.max(ranMs, outsideMs * (1 - waitedMs / answerMs));
}

/** How long the thread waited for a CPU between question and answer, ms; undefined where that is not recorded. */
function waitForCpuMs({ sentRunQueueMs, threadTimes }: Sample): number | undefined {
  return difference(threadTimes?.runQueueMs, sentRunQueueMs);
}

function gcMsBefore({ sentAt, takenAt }: Sample, gcPauses: readonly Interval[]): number {
  return sentAt === undefined ? 0 : overlapMs({ start: sentAt, end: takenAt }, gcPauses);
}

/** Where the time of a sample ends and the time of the next one begins. */
function boundary(sample: Sample, next: Sample): number {
  const isOwnSample = isOwnWork(sample);
  // A question that arrives when the blocking code has just ended finds work of this package, which takes far less time
  // than lies between two samples.
  if (isOwnSample !== isOwnWork(next)) return isOwnSample ? sample.takenAt : next.takenAt;
  return (sample.takenAt + Math.max(sample.takenAt, next.requestedAt)) / 2;
}

/** Whether work of this package was running, not code of the application that it has called. */
function isOwnWork({ frames }: Sample): boolean {
  const running = frames.find((frame) => {
    const kind = kindOf(frame);
    return kind !== 'builtin' && kind !== 'internal';
  });
  return running !== undefined && isOwn(running);
}

function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  return later === undefined || earlier === undefined ? undefined : later - earlier;
}

/** The time for which the samples are evidence, ms; with a test, of those that pass it. */
export function timeOf(
  samples: readonly WeightedSample[],
  test: (weighted: WeightedSample) => boolean = () => true,
): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.evidenceMs : sum), 0);
}
