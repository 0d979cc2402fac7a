import { isOwn, kindsOf } from '../contract/frames.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { WeightedSample } from './weights.js';

export interface TelemetryContext {
  readonly thresholdMs: number;
  /** When this package worked in the thread. */
  readonly ownWork: readonly Interval[];
  /** When the SDK starts that this package has started in this thread. */
  readonly sdkStart: Interval | undefined;
}

/**
 * Whether a block is no block of the application:
 * - work of this package that is only long because the thread waited for a CPU, on an overloaded host, or for a thread
 *   that did so;
 * - the start of the SDK that this package has started. It goes on after the call that starts it, in iterations of its
 *   own: resource detectors read files and load modules. A block without a stack counts as part of it, if the load begins
 *   in the same iteration.
 */
export function isTelemetryWork(
  block: Block,
  samples: readonly WeightedSample[],
  { thresholdMs, ownWork, sdkStart }: TelemetryContext,
): boolean {
  const { cpuMs, runQueueMs } = block.times;
  const isStretched = block.durationMs - (runQueueMs ?? 0) < thresholdMs;
  const { culprit } = block.attribution;
  // This package makes no call that sleeps.
  const isShortOwnWork = culprit !== undefined && isOwn(culprit) && cpuMs !== undefined && cpuMs < thresholdMs;
  if (isShortOwnWork && runQueueMs !== undefined) return true;
  if (isStretched && block.durationMs - overlapMs(block, ownWork) < thresholdMs) return true;
  // The part of a block before the load ends where the load begins.
  if (!sdkStart || block.end < sdkStart.start || block.start >= sdkStart.end) return false;
  const isOfLoad = block.start <= sdkStart.start;
  let isTelemetrySeen = samples.every(({ sample }) => sample.frames.length === 0) && (isStretched || isOfLoad);
  let applicationMs = 0;
  for (const { sample, weightMs } of samples) {
    const kinds = kindsOf(sample.frames);
    if (kinds.includes('application') || kinds.includes('dependency')) applicationMs += weightMs;
    isTelemetrySeen ||= kinds.includes('telemetry');
  }
  return isTelemetrySeen && applicationMs < thresholdMs;
}
