import type { BlockTimes, Cause, Interval } from '../model.js';
import { framesOf } from './culprit.js';
import { kindOf } from './frames.js';
import type { WeightedSample } from './weights.js';

/** The cause that explains at least half of the block. */
export function causeOf(durationMs: number, times: BlockTimes, samples: readonly WeightedSample[]): Cause {
  const half = durationMs / 2;
  const { cpuMs, runQueueMs, gcMs } = times;
  if (runQueueMs !== undefined && runQueueMs >= half) return 'cpu_starved';
  if (cpuMs !== undefined && durationMs - cpuMs - (runQueueMs ?? 0) >= half) {
    // Without run-queue time, off-CPU time may be sleep or starvation: only the stack can tell.
    if (runQueueMs !== undefined || sleeps(samples)) return 'waiting';
    return 'unknown';
  }
  if (gcMs !== undefined && gcMs >= half) return 'gc';
  const totalMs = weigh(samples, () => true);
  if (totalMs === 0) return 'unknown';
  return weigh(samples, isNative) >= totalMs / 2 ? 'native' : 'javascript';
}

const SLEEPERS = /^(Atomics\.wait|spawnSync|execSync|execFileSync)$/;

/** Whether the stacks show a call that sleeps. */
function sleeps(samples: readonly WeightedSample[]): boolean {
  const isSleeper = ({ sample }: WeightedSample): boolean =>
    sample.frames.slice(0, 4).some((frame) => SLEEPERS.test(frame.functionName) && kindOf(frame) !== 'application');
  return weigh(samples, isSleeper) >= weigh(samples, () => true) / 2;
}

/**
 * Native work that V8 interrupts. Other builtins on top of a live sample tell nothing: optimised code can be interrupted
 * only where it calls one.
 */
const INTERRUPTIBLE_NATIVES = /^(JSON|RegExp)\./;

function isNative(weighted: WeightedSample): boolean {
  const [top] = framesOf(weighted);
  return (
    weighted.isLate || (top !== undefined && kindOf(top) === 'builtin' && INTERRUPTIBLE_NATIVES.test(top.functionName))
  );
}

function weigh(samples: readonly WeightedSample[], test: (weighted: WeightedSample) => boolean): number {
  return samples.reduce((sum, weighted) => (test(weighted) ? sum + weighted.weightMs : sum), 0);
}

/** Share of a sample's interval that the CPU may have run and the thread still counts as asleep. */
const ASLEEP_SHARE = 0.1;

/** ms of the block in which a debugger held the thread: asleep with application code on top, while one is attached. */
export function debuggerPauseMs(samples: readonly WeightedSample[], block: Interval): number {
  let from = block.start;
  let pausedMs = 0;
  for (const { sample, cpuMs, runQueueMs } of samples) {
    const elapsedMs = sample.takenAt - from;
    from = sample.takenAt;
    const [top] = sample.frames;
    if (!sample.inspected || top === undefined || cpuMs === undefined) continue;
    const isAsleep = cpuMs + (runQueueMs ?? 0) < elapsedMs * ASLEEP_SHARE;
    const kind = kindOf(top);
    if (isAsleep && (kind === 'application' || kind === 'dependency')) pausedMs += elapsedMs;
  }
  return pausedMs;
}
