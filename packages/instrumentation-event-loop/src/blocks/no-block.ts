import { isOfNodeOrV8, isOwn, kindsOf } from '../contract/frames.js';
import type { Block, Sample, StartUp } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { proofOfSleep } from './cause.js';
import type { OutsideContext } from './outside.js';
import { showsOnlyOwnWork, sumMs, type Segment } from './segments.js';
import { hasApplication } from './visible.js';

export interface NoBlockContext extends Pick<OutsideContext, 'sdkStart'> {
  readonly thresholdMs: number;
  /** A watchdog runs that asks this thread for samples when it is late. */
  readonly isSampled: boolean;
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
 * Whether nothing shows that the application slept. Then no code of the application made the block: the process was
 * suspended, or the loop was idle. Or, on a starved host, the thread waited for another one of its process that had no CPU,
 * such as a helper of V8's garbage collector. A worker that has only answered when it had woken may have waited for its next
 * task.
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

/** Files of Node that evaluate an entry point: CommonJS or ES module, in the main thread or in a worker. */
const LOADER_FILES = ['modules/run_main', 'modules/esm/module_job', 'main/', 'process/execution'].map(
  (file) => `node:internal/${file}`,
);

const MODULES = 'node:internal/modules/';

/**
 * Whether a busy period was the evaluation of the entry point. Without samples, the phase of the start-up alone decides.
 */
export function isStartUp(period: { readonly startUp: StartUp; readonly samples: readonly Sample[] }): boolean {
  if (period.startUp === 'over') return false;
  const samples = period.samples.filter(({ frames }) => frames.length > 0);
  // Once the loop iterates, a module for which the application waits, `await import()`, delays events.
  const isAwaited = samples.some(({ frames }) => frames.some((frame) => frame.isAsync && !isOfNodeOrV8(frame)));
  if (period.startUp === 'possible' && isAwaited) return false;
  return samples.length === 0 ? period.startUp === 'likely' : areStartUpSamples(samples);
}

/**
 * Whether most of the samples show the loading and evaluation of modules. Async frames are ignored: code after a
 * top-level `await` runs in the event loop.
 */
export function areStartUpSamples(samples: readonly Sample[]): boolean {
  return samples.filter(showsStartUp).length * 2 > samples.length;
}

/** Whether most of the samples show that the loop runs the application, although its entry point may not be evaluated. */
export function showsApplicationInLoop(samples: readonly Sample[]): boolean {
  const inLoop = samples.filter((sample) => hasApplication(kindsOf(sample.frames)) && !showsStartUp(sample));
  return inLoop.length * 2 > samples.length;
}

function showsStartUp({ frames }: Sample): boolean {
  const running = frames.filter(({ isAsync }) => !isAsync);
  if (running.some(({ fileName }) => LOADER_FILES.some((file) => fileName.startsWith(file)))) return true;
  // Node resolves, reads and compiles modules. With application code on the stack, that code has required the module.
  return running.some(({ fileName }) => fileName.startsWith(MODULES)) && running.every(isOfNodeOrV8);
}
