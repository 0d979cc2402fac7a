import type { Attribution, Block, ThreadLooks } from '../contract/model.js';
import { wasAsleep } from './cause.js';
import { showsSleeper } from './visible-frames.js';
import type { WeightedSample } from './weights.js';

/**
 * Whether a block has the cause `waiting`, and nothing shows that the application slept: none of its code is on the
 * stack, nor that of a dependency, and the watchdog has not seen the thread asleep. On a starved host, a thread is off
 * the CPU without being in the run queue, too: it waits for another thread of its process, such as a helper of V8's
 * garbage collector, which has no CPU. No code of the application made that block.
 */
export function isUnprovenSleep(
  { attribution, times, hang }: Block,
  samples: readonly WeightedSample[],
  looks: ThreadLooks | undefined,
): boolean {
  if (attribution.cause !== 'waiting' || times.runQueueMs === undefined || hang !== undefined) return false;
  if (samples.some(({ sample }) => showsSleeper(sample))) return false;
  if (looks === undefined) return samples.length === 0;
  // A system that does not show what a thread does says nothing.
  return looks.runnable + looks.asleep > 0 && !wasAsleep(looks);
}

/**
 * The attribution of a block in which the thread slept in a lock or waited for memory, and no sample shows code of the
 * application that slept. On a starved host, that is mostly V8, which waits for its own threads when it collects garbage,
 * and may be a native call that has returned. It is no synchronous I/O, and what answered afterwards is not what waited.
 */
export function withProvenSleep(
  attribution: Attribution,
  samples: readonly WeightedSample[],
  looks: ThreadLooks | undefined,
): Attribution {
  // Without a look, nothing shows that it slept in a call; without a sample, no watchdog runs.
  const isInLock = looks === undefined ? samples.length > 0 : looks.inLock > looks.asleep / 2;
  if (attribution.cause !== 'waiting' || !isInLock || samples.some(({ sample }) => showsSleeper(sample))) {
    return attribution;
  }
  return {
    ...attribution,
    cause: 'unknown',
    quality: 'none',
    culprit: undefined,
    stack: [],
    profile: '',
    lines: undefined,
  };
}
