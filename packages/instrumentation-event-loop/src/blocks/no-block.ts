import { isOwn, kindsOf } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { proofOfSleep } from './cause.js';
import { sumMs, type Segment } from './segments.js';

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
  { looks, mayHaveLostIdle }: BusyPeriod,
  context: NoBlockContext,
): boolean {
  return (
    isUnseenSleep(block, segments) ||
    (context.isSampled && isUnprovenSleep(block, segments, looks)) ||
    ((context.isSampled || mayHaveLostIdle) && isUnseenStop(block, segments)) ||
    isOwnWork(block, context) ||
    isSdkStart(block, segments, context)
  );
}

/**
 * A sleep of a worker that only answered after it had woken, so that no sample shows it. It may be a pool worker's
 * sleep between two tasks, so it is not reported.
 */
function isUnseenSleep({ threadId, attribution }: Block, segments: readonly Segment[]): boolean {
  return threadId !== 0 && attribution.cause === 'waiting' && segments.length > 0 && showNothing(segments);
}

function showNothing(segments: readonly Segment[]): boolean {
  return segments.every(({ sample }) => sample.frames.length === 0);
}

/**
 * Whether nothing shows that the application slept: none of its code is on the stack, nor that of a dependency, and the
 * watchdog has not seen the thread asleep. On a starved host, a thread is off the CPU without being in the run queue, too:
 * it waits for another thread of its process, such as a helper of V8's garbage collector, which has no CPU. No code of the
 * application made that block.
 */
function isUnprovenSleep(
  { attribution, times, hang }: Block,
  segments: readonly Segment[],
  looks: BusyPeriod['looks'],
): boolean {
  if (attribution.cause !== 'waiting' || times.runQueueMs === undefined || hang !== undefined) return false;
  return proofOfSleep(segments, looks) === 'none';
}

/** Share of a stop in which the thread may run, or wait for a CPU, on its way into it and out of it. */
const STOP_RUNNING_SHARE = 0.1;

/**
 * The thread neither ran nor waited for a CPU, and the watchdog has not asked it: the process was suspended, and the
 * watchdog has not recorded that yet, or the loop was idle. A thread that sleeps in a call is asked, and answers at the
 * latest when it wakes.
 */
function isUnseenStop({ durationMs, times }: Block, segments: readonly Segment[]): boolean {
  const { cpuMs, runQueueMs } = times;
  if (segments.length > 0 || cpuMs === undefined || runQueueMs === undefined) return false;
  return cpuMs + runQueueMs < durationMs * STOP_RUNNING_SHARE;
}

/**
 * Work of this package that is only long because the thread waited for a CPU, on an overloaded host, or for a thread that
 * did so. This package makes no call that sleeps.
 */
function isOwnWork({ attribution: { culprit }, times }: Block, { thresholdMs }: NoBlockContext): boolean {
  if (times.runQueueMs === undefined || culprit === undefined || !isOwn(culprit)) return false;
  return (times.cpuMs ?? thresholdMs) < thresholdMs;
}

function isStretched({ durationMs, times }: Block, thresholdMs: number): boolean {
  return durationMs - (times.runQueueMs ?? 0) < thresholdMs;
}

/**
 * The start of the SDK that this package has started. It goes on after the call that starts it, in iterations of its own:
 * resource detectors read files and load modules. A block without a stack counts as part of it, if the load begins in the
 * same iteration.
 */
function isSdkStart(block: Block, segments: readonly Segment[], { thresholdMs, sdkStart }: NoBlockContext): boolean {
  // The part of a block before the load ends where the load begins.
  if (!sdkStart || block.end < sdkStart.start || block.start >= sdkStart.end) return false;
  const isOfLoad = isStretched(block, thresholdMs) || block.start <= sdkStart.start;
  const isTelemetrySeen = segments.some(({ sample }) => kindsOf(sample.frames).includes('telemetry'));
  if (!isTelemetrySeen && !(isOfLoad && showNothing(segments))) return false;
  const applicationMs = sumMs(segments, 'ms', ({ sample }) => {
    const kinds = kindsOf(sample.frames);
    return kinds.includes('application') || kinds.includes('dependency');
  });
  return applicationMs < thresholdMs;
}
