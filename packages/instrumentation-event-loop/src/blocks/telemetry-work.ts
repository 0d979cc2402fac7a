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
 * - work of this package that is only long because the thread waited for a CPU, on an overloaded host;
 * - the start of the SDK that this package has started. It goes on after the call that starts it, in iterations of its
 *   own: resource detectors read files and load modules.
 */
export function isTelemetryWork(
  block: Block,
  samples: readonly WeightedSample[],
  { thresholdMs, ownWork, sdkStart }: TelemetryContext,
): boolean {
  const { durationMs, times } = block;
  const isStretched = durationMs - (times.runQueueMs ?? 0) < thresholdMs;
  if (isStretched && durationMs - overlapMs(block, ownWork) < thresholdMs) return true;
  const seen = samples.filter(({ sample }) => sample.frames.length > 0);
  const startsSdk = sdkStart !== undefined && overlapMs(block, [sdkStart]) > 0;
  if (seen.length === 0) return startsSdk && isStretched;
  if (!seen.some(showsTelemetry) || weigh(seen.filter(showsApplication)) >= thresholdMs) return false;
  return startsSdk || (isStretched && seen.every(showsOwnWork));
}

function showsTelemetry({ sample }: WeightedSample): boolean {
  return kindsOf(sample.frames).includes('telemetry');
}

function showsApplication({ sample }: WeightedSample): boolean {
  return kindsOf(sample.frames).some((kind) => kind === 'application' || kind === 'dependency');
}

function showsOwnWork(weighted: WeightedSample): boolean {
  return weighted.sample.frames.some(isOwn) && !showsApplication(weighted);
}

function weigh(samples: readonly WeightedSample[]): number {
  return samples.reduce((sum, { weightMs }) => sum + weightMs, 0);
}
