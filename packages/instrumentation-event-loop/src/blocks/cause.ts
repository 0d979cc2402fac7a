import { kindOf } from '../contract/frames.js';
import type { BlockTimes, Cause, Frame, ThreadLooks } from '../contract/model.js';
import { isJsonCall, isRegExpCall } from '../contract/native-calls.js';
import { isInNativeWrapper } from './node-frames.js';
import { framesOf } from './visible-frames.js';
import type { WeightedSample } from './weights.js';

/** What the cause follows from. */
export interface Measurements {
  /** Duration of the block without excluded intervals. */
  readonly durationMs: number;
  readonly thresholdMs: number;
  readonly times: BlockTimes;
  readonly samples: readonly WeightedSample[];
  readonly looks?: ThreadLooks | undefined;
}

/**
 * Returns what the code did for at least half of the block. Time in the run queue is left out of that comparison: other
 * processes and quotas stretch a block whatever its code does. It is the cause only where the code alone would not have
 * been a block.
 */
export function causeOf({ durationMs, thresholdMs, times, samples, looks }: Measurements): Cause {
  const { cpuMs, runQueueMs, gcMs } = times;
  const unstretchedMs = durationMs - (runQueueMs ?? 0);
  // A provisional block may still be shorter than the threshold. A thread in `Atomics.wait` wakes up for each question
  // of the watchdog and may wait for a CPU then, which does not prolong its sleep.
  const isShort = unstretchedMs < thresholdMs && durationMs >= thresholdMs;
  if (isShort && !isSleep(samples, WOKEN_BY_QUESTIONS)) return 'cpu_starved';
  // A collection lasts from its start to its end, so it is stretched like its block. It comes before the sleep, because
  // the thread also sleeps while V8's helper threads finish their part of a collection.
  if (gcMs !== undefined && gcMs + firstCollectionMs(durationMs, gcMs, samples) >= durationMs / 2) return 'gc';
  const sleptMs = unstretchedMs - (cpuMs ?? unstretchedMs);
  const sleeps = isSleep(samples);
  // A thread that each question wakes is ready to run then, and was asleep before.
  const isHeldUp =
    !sleeps && (wasAwake(looks) || (runQueueMs !== undefined && runQueueMs >= sleptMs && isRunning(samples)));
  // Of a sleep that no call shows, as much may have been in collections.
  const collectingMs = sleeps ? 0 : (gcMs ?? 0);
  if (cpuMs !== undefined && sleptMs - collectingMs >= unstretchedMs / 2) {
    // The code alone would not have been a block, and the run-queue time does not show what the rest was.
    if (isHeldUp) return cpuMs < thresholdMs && durationMs >= thresholdMs ? 'unknown' : codeOf(samples, looks);
    // Without run-queue time, off-CPU time may be sleep or CPU starvation: only the stack shows which.
    if (runQueueMs !== undefined || sleeps) return 'waiting';
    return 'unknown';
  }
  if (cpuMs === undefined && sleeps) return 'waiting';
  return codeOf(samples, looks);
}

/**
 * Native or JavaScript. Only the time counts for which the samples show what ran, as it does for the culprit: the time
 * before the first question, and the time in which the thread waited for a CPU, would count for what ran beside it. Nor
 * does the time off the CPU for another reason: a thread that waits for a helper of V8 or for its hypervisor answers as
 * late as after a native call.
 */
function codeOf(samples: readonly WeightedSample[], looks: ThreadLooks | undefined): Cause {
  const shownMs = computed(samples, () => true);
  if (shownMs === 0) return 'unknown';
  const isUnclear = mayHaveCollectedMs(samples) > 0;
  const isNative = (weighted: WeightedSample): boolean =>
    isNativeCall(weighted) && !(isUnclear && weighted === samples[0]);
  const [first] = samples;
  const hiddenMs = first?.isLate === true && isNative(first) ? hiddenCallMs(first) : 0;
  const share = (computed(samples, isNative) + hiddenMs) / (shownMs + hiddenMs);
  const systemShare = callsFileSystem(samples) ? (looks?.systemShare ?? 0) : 0;
  return Math.max(share, systemShare) >= 1 / 2 ? 'native' : 'javascript';
}

/**
 * Whether the answers show functions of the file system, whose calls of the kernel are no JavaScript, however soon the
 * answers come. A loop that looks at a clock is JavaScript, also where that clock is a call of the kernel.
 */
function callsFileSystem(samples: readonly WeightedSample[]): boolean {
  return samples.some(({ sample }) => sample.frames.some(isOfFileSystem));
}

function isOfFileSystem({ fileName }: Frame): boolean {
  return fileName === 'node:fs' || fileName.startsWith('node:internal/fs/');
}

/**
 * Delay of the first answer where it may have been a garbage collection: they are measured only from then on, and one of
 * them has delayed another answer for as long.
 */
function mayHaveCollectedMs([first, ...others]: readonly WeightedSample[]): number {
  if (first?.sample.sentAt === undefined || !first.isLate) return 0;
  const delayMs = first.sample.takenAt - first.sample.sentAt;
  return others.some(({ gcMs }) => gcMs >= delayMs) ? delayMs : 0;
}

/** Share of the measured time from which on a thread does nothing but collect. */
const ONLY_COLLECTS_SHARE = 0.8;

/** The same delay where the thread has done nothing but collect since: it was a collection. */
function firstCollectionMs(durationMs: number, gcMs: number, samples: readonly WeightedSample[]): number {
  const measuredMs = durationMs - (samples[0]?.weightMs ?? 0);
  return gcMs >= measuredMs * ONLY_COLLECTS_SHARE ? mayHaveCollectedMs(samples) : 0;
}

/** Fewer looks than this show too little. */
const MIN_LOOKS = 3;

/**
 * Whether the kernel showed the thread as ready to run in most looks, so that it did not sleep: its host or hypervisor
 * held it up.
 */
function wasAwake(looks: ThreadLooks | undefined): boolean {
  if (looks === undefined || looks.runnable + looks.asleep < MIN_LOOKS) return false;
  return looks.runnable > looks.asleep;
}

/** Whether the kernel showed the thread as asleep in most looks. */
export function wasAsleep(looks: ThreadLooks | undefined): boolean {
  return looks !== undefined && looks.asleep >= MIN_LOOKS && looks.asleep > looks.runnable;
}

/** The same, in a lock: it waits for another thread, or for memory. */
export function wasAsleepInLock(looks: ThreadLooks | undefined): boolean {
  return looks !== undefined && wasAsleep(looks) && looks.inLock > looks.asleep / 2;
}

/** Whether the kernel showed the thread as asleep more often than as ready to run, or was not asked. */
export function mayHaveSlept(looks: ThreadLooks | undefined): boolean {
  return looks === undefined || looks.asleep > looks.runnable || looks.asleep + looks.runnable === 0;
}

const WOKEN_BY_QUESTIONS: ReadonlySet<string> = new Set(['Atomics.wait']);
const SLEEPING_CALLS: ReadonlySet<string> = new Set(['Atomics.wait', 'spawnSync', 'execSync', 'execFileSync']);

/** Whether at least half of the sampled time shows a call that sleeps. */
function isSleep(samples: readonly WeightedSample[], calls = SLEEPING_CALLS): boolean {
  const showsSleepingCall = ({ sample }: WeightedSample): boolean =>
    sample.frames.slice(0, 4).some((frame) => {
      const kind = kindOf(frame);
      // This package wraps `Atomics.wait`: what its wrapper does before the sleep and after it is no sleep.
      return calls.has(frame.functionName) && (kind === 'builtin' || kind === 'internal');
    });
  const totalMs = weigh(samples, () => true);
  return totalMs > 0 && weigh(samples, showsSleepingCall) >= totalMs / 2;
}

/**
 * Whether most of the sampled time shows JavaScript that answered at once, so that it did not sleep. On an overloaded
 * host such a thread is off the CPU without being in the run queue, too: the hypervisor takes the CPU, or V8 waits for a
 * helper thread that has none.
 */
function isRunning(samples: readonly WeightedSample[]): boolean {
  const runs = ({ sample, isLate }: WeightedSample): boolean => {
    const [top] = sample.frames;
    return !isLate && top !== undefined && kindOf(top) !== 'internal' && !SLEEPING_CALLS.has(top.functionName);
  };
  return weigh(samples, runs) > weigh(samples, () => true) / 2;
}

/**
 * V8 can be interrupted in some native calls. Any other builtin on top of a live sample proves no native work: V8
 * interrupts optimised code only where it calls a builtin.
 */
function isNativeCall(weighted: WeightedSample): boolean {
  if (weighted.isLate || isInNativeWrapper(weighted.sample.frames)) return true;
  const [top] = framesOf(weighted);
  if (top === undefined || kindOf(top) !== 'builtin') return false;
  return isRegExpCall(top.functionName) || isJsonCall(top.functionName);
}

/** Share of its time for which a thread runs that hardly waits for a CPU. */
const RUNNING_SHARE = 0.9;

/**
 * A call that V8 does not interrupt had run before the first question for as long, on average, as it did after it. Where
 * the thread waited for a CPU, as in a quota, its late answer may have no such call.
 */
function hiddenCallMs({ weightMs, ranMs, evidenceMs, computedMs }: WeightedSample): number {
  return ranMs < weightMs * RUNNING_SHARE ? 0 : Math.min(ranMs - evidenceMs, computedMs);
}

function computed(samples: readonly WeightedSample[], test: (weighted: WeightedSample) => boolean): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.computedMs : sum), 0);
}

function weigh(samples: readonly WeightedSample[], test: (weighted: WeightedSample) => boolean): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.weightMs : sum), 0);
}
