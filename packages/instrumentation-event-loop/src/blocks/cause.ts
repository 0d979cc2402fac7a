import { kindOf } from '../contract/frames.js';
import type { BlockTimes, Cause } from '../contract/model.js';
import { framesOf } from './culprit.js';
import type { WeightedSample } from './weights.js';

/** Returns the cause that explains at least half of the block. */
export function causeOf(durationMs: number, times: BlockTimes, samples: readonly WeightedSample[]): Cause {
  const halfMs = durationMs / 2;
  const { cpuMs, runQueueMs, gcMs } = times;
  if (runQueueMs !== undefined && runQueueMs >= halfMs) return 'cpu_starved';
  if (cpuMs !== undefined && durationMs - cpuMs - (runQueueMs ?? 0) >= halfMs) {
    // Without run-queue time, off-CPU time may be sleep or CPU starvation: only the stack shows which.
    if (runQueueMs !== undefined || isSleep(samples)) return 'waiting';
    return 'unknown';
  }
  if (gcMs !== undefined && gcMs >= halfMs) return 'gc';
  const totalMs = weigh(samples, () => true);
  if (totalMs === 0) return 'unknown';
  if (cpuMs === undefined && isSleep(samples)) return 'waiting';
  return weigh(samples, isNativeCall) >= totalMs / 2 ? 'native' : 'javascript';
}

const SLEEPING_CALLS = /^(Atomics\.wait|spawnSync|execSync|execFileSync)$/;

/** Whether at least half of the sampled time shows a call that sleeps. */
function isSleep(samples: readonly WeightedSample[]): boolean {
  const showsSleepingCall = ({ sample }: WeightedSample): boolean =>
    sample.frames
      .slice(0, 4)
      .some((frame) => SLEEPING_CALLS.test(frame.functionName) && kindOf(frame) !== 'application');
  const totalMs = weigh(samples, () => true);
  return totalMs > 0 && weigh(samples, showsSleepingCall) >= totalMs / 2;
}

/**
 * Native calls that V8 can interrupt. Any other builtin on top of a live sample proves no native work: V8 interrupts
 * optimised code only where it calls a builtin.
 */
const INTERRUPTIBLE_NATIVES = /^(JSON|RegExp)\./;

function isNativeCall(weighted: WeightedSample): boolean {
  const [top] = framesOf(weighted);
  return (
    weighted.isLate || (top !== undefined && kindOf(top) === 'builtin' && INTERRUPTIBLE_NATIVES.test(top.functionName))
  );
}

function weigh(samples: readonly WeightedSample[], test: (weighted: WeightedSample) => boolean): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.weightMs : sum), 0);
}
