import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';

/** An answer later than this, in ms, was held up by something that cannot be interrupted. */
const LATE_ANSWER_MS = 15;

export interface WeightedSample {
  readonly sample: Sample;
  /** The ms of the block that the sample stands for. */
  readonly weightMs: number;
  /** The thread answered only after an uninterruptible call had returned. */
  readonly isLate: boolean;
  /** ms on a CPU and in the run queue since the sample before; undefined where unknown. */
  readonly cpuMs: number | undefined;
  readonly runQueueMs: number | undefined;
}

/**
 * Gives each sample the time it stands for: the interval grows with the block, and a native call of 700 ms yields one
 * sample. Between two samples the time goes half and half, but what passed between a request and its late answer belongs
 * to the answer alone. The last one reaches to the block's end.
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
      // A thread that waited for a CPU answers late without any native call.
      isLate: answerMs > LATE_ANSWER_MS && !(runQueueMs !== undefined && runQueueMs > answerMs / 2),
      cpuMs: difference(sample.threadTimes?.cpuMs, before?.threadTimes?.cpuMs),
      runQueueMs,
    };
  });
}

function difference(later: number | undefined, earlier: number | undefined): number | undefined {
  return later === undefined || earlier === undefined ? undefined : later - earlier;
}
