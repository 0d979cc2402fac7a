import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';

/** A sample taken later than this after its request, in ms, was delayed by code that V8 cannot interrupt. */
const LATE_ANSWER_MS = 15;

export interface WeightedSample {
  readonly sample: Sample;
  /** Time of the block that the sample represents. */
  readonly weightMs: number;
  /** The sample was taken only after an uninterruptible call had returned. */
  readonly isLate: boolean;
  /** Time on a CPU and in the run queue since the previous sample; undefined where unknown. */
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
}

/**
 * Gives each sample the time that it represents. Samples cannot count equally: their interval grows with the block, and
 * a native call of 700 ms yields only one sample. The time between two samples is divided equally between them, except
 * that the time from a request to its sample belongs to that sample alone. The last sample extends to the block's end.
 */
export function weighSamples(samples: readonly Sample[], block: Interval): WeightedSample[] {
  let from = block.start;
  return samples.map((sample, i) => {
    const before = samples[i - 1];
    const next = samples[i + 1];
    const to = next === undefined ? block.end : (sample.takenAt + Math.max(sample.takenAt, next.requestedAt)) / 2;
    const weightMs = Math.max(0, to - from);
    from = to;
    const runQueueMs = difference(sample.threadTimes?.runQueueMs, before?.threadTimes?.runQueueMs);
    const answerMs = sample.takenAt - sample.requestedAt;
    return {
      sample,
      weightMs,
      // A thread that waited for a CPU is late without a native call.
      isLate: answerMs > LATE_ANSWER_MS && !(runQueueMs !== undefined && runQueueMs > answerMs / 2),
      cpuMs: difference(sample.threadTimes?.cpuMs, before?.threadTimes?.cpuMs),
      runQueueMs,
    };
  });
}

function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  return later === undefined || earlier === undefined ? undefined : later - earlier;
}
