import { isOwn } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { proofOfSleep } from './cause.js';
import { showsOnlyOwnWork, sumMs, type Segment } from './segments.js';
import { hasApplication } from './visible.js';

export interface NoBlockContext {
  readonly thresholdMs: number;
  /** A watchdog runs that asks this thread for samples when it is late. */
  readonly isSampled: boolean;
  /** When the SDK starts that this package has started in this thread. */
  readonly sdkStart: Interval | undefined;
}

/** Whether a busy period that was long enough was no block of the application after all. */
export function isNoBlock(
  block: Block,
  segments: readonly Segment[],
  period: BusyPeriod,
  context: NoBlockContext,
): boolean {
  return (
    isUnprovenSleep(block, segments, period, context) ||
    isOwnWork(block, segments, context) ||
    isSdkStart(block, segments, context)
  );
}

/**
 * Whether nothing shows that the application slept: the process was suspended, the loop was idle, or on a starved host, the
 * thread waited for another one of its process that had no CPU, such as a helper of V8's garbage collector. No code of the
 * application made that block. Nor did it where a worker has only answered when it had woken: it may have waited for its
 * next task.
 */
function isUnprovenSleep(
  { threadId, attribution, hang }: Block,
  segments: readonly Segment[],
  { looks, mayHaveLostIdle }: BusyPeriod,
  { isSampled }: NoBlockContext,
): boolean {
  if (attribution.cause !== 'waiting') return false;
  if (threadId !== 0 && segments.length > 0 && showNothing(segments)) return true;
  return (isSampled || mayHaveLostIdle) && hang === undefined && proofOfSleep(segments, looks) === 'none';
}

function showNothing(segments: readonly Segment[]): boolean {
  return segments.every(({ frames }) => frames.length === 0);
}

/**
 * Work of this package that is only long because the thread waited for a CPU, on an overloaded host, or for a thread that
 * did so. This package makes no call that sleeps.
 */
function isOwnWork(
  { attribution: { culprit }, times }: Block,
  segments: readonly Segment[],
  { thresholdMs }: NoBlockContext,
): boolean {
  if ((times.cpuMs ?? thresholdMs) >= thresholdMs) return false;
  if (culprit !== undefined) return isOwn(culprit);
  return segments.length > 0 && segments.every(({ sample }) => showsOnlyOwnWork(sample));
}

/**
 * The start of the SDK that this package has started. It goes on after the call that starts it, in iterations of its own:
 * resource detectors read files and load modules. A block without a stack counts as part of it, if the load begins in the
 * same iteration.
 */
function isSdkStart(block: Block, segments: readonly Segment[], { thresholdMs, sdkStart }: NoBlockContext): boolean {
  // The part of a block before the load ends where the load begins.
  if (!sdkStart || block.end < sdkStart.start || block.start >= sdkStart.end) return false;
  const isStretched = block.durationMs - (block.times.runQueueMs ?? 0) < thresholdMs;
  const isOfLoad = (isStretched || block.start <= sdkStart.start) && showNothing(segments);
  if (!isOfLoad && !segments.some(({ kinds }) => kinds.includes('telemetry'))) return false;
  return sumMs(segments, 'ms', ({ kinds }) => hasApplication(kinds)) < thresholdMs;
}
