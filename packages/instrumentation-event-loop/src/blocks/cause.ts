import { kindsOf } from '../contract/frames.js';
import type { BlockTimes, Cause, Frame, ThreadLooks } from '../contract/model.js';
import { MIN_OBSERVATIONS, NEGLIGIBLE_SHARE } from './limits.js';
import { sumMs, type Segment } from './segments.js';
import { framesOf, hasApplication, isInAtomicsWait } from './visible.js';

/** What the cause follows from. */
export interface Measurements {
  /** Duration of the block without what is outside of it. */
  readonly durationMs: number;
  readonly thresholdMs: number;
  readonly times: BlockTimes;
  readonly segments: readonly Segment[];
  readonly looks?: ThreadLooks | undefined;
}

export interface JudgedCause {
  readonly cause: Cause;
  /** The share that decided, as plain data: `native 62 % of 480 ms`. */
  readonly because: string;
  /** What answered is not what slept: no sample shows the culprit. */
  readonly isElsewhere?: boolean;
}

/**
 * Returns what the code did for at least half of the block. Time in the run queue is left out of that comparison: other
 * processes and quotas stretch a block whatever its code does. It is the cause only where the code alone would not have
 * been a block.
 */
export function causeOf(measurements: Measurements): JudgedCause {
  const { durationMs, thresholdMs, times, segments, looks } = measurements;
  const { cpuMs, runQueueMs = 0, gcMs = 0 } = times;
  const unstretchedMs = durationMs - runQueueMs;
  const asleepMs = sumMs(segments, 'asleepMs');
  const shownMs = sumMs(segments, 'ms');
  const sleeps = asleepMs >= shownMs / 2 && segments.length > 0;
  // The rest would have been no block. A provisional one may still be shorter than the threshold itself.
  const isShort = (ms: number): boolean => ms < thresholdMs && durationMs >= thresholdMs;
  // A thread in `Atomics.wait` wakes up for each question of the watchdog and may wait for a CPU then, which does not
  // prolong its sleep.
  if (isShort(unstretchedMs)) {
    return sleeps && segments.some(({ sample }) => isInAtomicsWait(sample))
      ? { cause: 'waiting', because: shareOf('asleep', asleepMs, shownMs) }
      : { cause: 'cpu_starved', because: shareOf('waited for a CPU', runQueueMs, durationMs) };
  }
  // A collection lasts from its start to its end, so it is stretched like its block. It comes before the sleep, because
  // the thread also sleeps while V8's helper threads finish their part of a collection.
  if (gcMs >= durationMs / 2) return { cause: 'gc', because: shareOf('collections', gcMs, durationMs) };
  if (cpuMs === undefined) return sleeps ? { cause: 'waiting', because: 'asleep in a call' } : codeOf(measurements);
  const sleptMs = unstretchedMs - cpuMs;
  const slept = (cause: Cause, what = 'asleep'): JudgedCause => {
    return { cause, because: shareOf(what, sleptMs, unstretchedMs) };
  };
  // Of a sleep that no call shows, as much may have been in collections.
  if (sleptMs - (sleeps ? 0 : gcMs) < unstretchedMs / 2) return codeOf(measurements);
  // A thread that each question wakes is ready to run then, and was asleep before. Another one was held up by its host:
  // where the code alone would not have been a block, nothing measures what the rest was.
  if (!sleeps && stateInLooks(looks) === 'runnable')
    return isShort(cpuMs) ? slept('unknown', 'held up') : codeOf(measurements);
  // Without run-queue time, off-CPU time may be sleep or CPU starvation: only the stack shows which. So it is where most
  // of the time was in the run queue, and nothing was asked.
  const isShown = times.runQueueMs === undefined ? sleeps : segments.length > 0 || runQueueMs < durationMs / 2;
  if (!isShown) return slept('unknown');
  const isInLock = proofOfSleep(segments, looks) === 'lock';
  return isInLock ? { ...slept('unknown', 'in a lock'), isElsewhere: true } : slept('waiting');
}

/**
 * What shows that a thread that neither ran nor waited for a CPU was asleep: its code, or the kernel. In a `lock` it
 * waited for another thread, or for memory. On a starved host, that is mostly V8, which waits for its own threads when it
 * collects garbage; it may be a native call that has returned. A lock is no synchronous I/O, and what answered afterwards
 * is not what waited.
 */
export function proofOfSleep(
  segments: readonly Segment[],
  looks: ThreadLooks | undefined,
): 'code' | 'kernel' | 'lock' | 'none' {
  if (segments.some(showsSleeper)) return 'code';
  // A thread that sleeps in a call is asked, and answers at the latest when it wakes.
  if (segments.length === 0) return 'none';
  // Without a look, nothing shows that it slept in a call.
  if (looks === undefined) return 'lock';
  const state = stateInLooks(looks);
  if (state === 'locked') return 'lock';
  // A system that does not show what a thread does says nothing.
  return state === 'asleep' || looks.runnable + looks.asleep === 0 ? 'kernel' : 'none';
}

/**
 * What the kernel showed in most looks: the thread was ready to run, so that its host or hypervisor held it up; it slept;
 * or it slept in a lock, for another thread or for memory. Undefined where it was looked at too rarely.
 */
export function stateInLooks(looks: ThreadLooks | undefined): 'runnable' | 'asleep' | 'locked' | undefined {
  if (looks === undefined || Math.max(looks.runnable, looks.asleep) < MIN_OBSERVATIONS) return undefined;
  if (looks.runnable === looks.asleep) return undefined;
  if (looks.runnable > looks.asleep) return 'runnable';
  return looks.inLock > looks.asleep / 2 ? 'locked' : 'asleep';
}

/**
 * Native or JavaScript. Only the time counts for which the samples show what ran, as it does for the culprit. The time
 * before the first question, and that in which the thread waited for a CPU, would count for what ran beside it. The time
 * off the CPU for another reason does not count either: a thread that waits for a helper of V8 or for its hypervisor
 * answers as late as after a native call.
 */
function codeOf({ segments, looks, durationMs, times: { cpuMs = 0 } }: Measurements): JudgedCause {
  const ranMs = sumMs(segments, 'computedMs');
  if (ranMs === 0) return { cause: 'unknown', because: 'no answer' };
  if (ranMs < cpuMs * NEGLIGIBLE_SHARE) return { cause: 'unknown', because: shareOf('asked for', ranMs, cpuMs) };
  const nativeMs = sumMs(segments, 'computedMs', ({ state }) => state === 'native');
  const systemShare = segments.some(isInFileSystem) ? (looks?.systemShare ?? 0) : 0;
  const share = Math.max(nativeMs / ranMs, systemShare);
  const awakeMs = durationMs - sumMs(segments, 'asleepMs');
  // Where most of the work was over before the first question, the share is one of what came after it.
  const ofMs = ranMs < cpuMs / 2 ? ranMs : Math.max(ranMs, awakeMs);
  return share >= 1 / 2
    ? { cause: 'native', because: shareOf('native', share, 1, ofMs) }
    : { cause: 'javascript', because: shareOf('javascript', 1 - share, 1, ofMs) };
}

/**
 * Whether a sample of a thread that slept shows who did: the code of the application or of a dependency is on the stack. A
 * function at its entry was called after the sleep.
 */
function showsSleeper({ sample }: Segment): boolean {
  return hasApplication(kindsOf(framesOf(sample.frames, true)));
}

function shareOf(what: string, partMs: number, ofMs: number, durationMs = ofMs): string {
  return `${what} ${Math.round((100 * partMs) / ofMs)} % of ${Math.round(durationMs)} ms`;
}

/**
 * Whether the answer shows functions of the file system, whose calls of the kernel are no JavaScript, however soon the
 * answer comes. A loop that looks at a clock is JavaScript, also where that clock is a call of the kernel.
 */
function isInFileSystem({ sample }: Segment): boolean {
  return sample.frames.some(
    ({ fileName }: Frame) => fileName === 'node:fs' || fileName.startsWith('node:internal/fs/'),
  );
}
