import type { BlockTimes, Cause, Interval, Sample } from '../contract/model.js';
import { framesOf } from './culprit.js';
import { kindOf } from '../contract/frames.js';
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
  if (cpuMs === undefined && sleeps(samples)) return 'waiting';
  return weigh(samples, isNative) >= totalMs / 2 ? 'native' : 'javascript';
}

const SLEEPERS = /^(Atomics\.wait|spawnSync|execSync|execFileSync)$/;

/** Whether the stacks show a call that sleeps. */
function sleeps(samples: readonly WeightedSample[]): boolean {
  const isSleeper = ({ sample }: WeightedSample): boolean =>
    sample.frames.slice(0, 4).some((frame) => SLEEPERS.test(frame.functionName) && kindOf(frame) !== 'application');
  const totalMs = weigh(samples, () => true);
  return totalMs > 0 && weigh(samples, isSleeper) >= totalMs / 2;
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

/** Share of the time that a stopped thread uses for the watchdog's and the debugger's own questions, at the most. */
const STOPPED_SHARE = 0.3;

/**
 * ms of the block in which a debugger held the thread: it stood at one place of the application's code, used hardly any CPU
 * time, and one is attached.
 */
export function debuggerPauseMs(samples: readonly WeightedSample[], block: Interval): number {
  let pausedMs = 0;
  let from = block.start;
  let stretch = newStretch('');
  const close = (): void => {
    if (stretch.measuredMs > 0 && stretch.usedMs < stretch.measuredMs * STOPPED_SHARE) pausedMs += stretch.elapsedMs;
  };
  for (const { sample, cpuMs, runQueueMs } of samples) {
    const elapsedMs = sample.takenAt - from;
    from = sample.takenAt;
    const place = stoppablePlace(sample);
    if (place !== stretch.place) {
      close();
      stretch = newStretch(place);
    }
    if (place === '') continue;
    stretch.elapsedMs += elapsedMs;
    if (cpuMs === undefined) continue; // the first: there is none before it to compare with
    stretch.measuredMs += elapsedMs;
    stretch.usedMs += cpuMs + (runQueueMs ?? 0);
  }
  close();
  return pausedMs;
}

interface Stretch {
  readonly place: string;
  elapsedMs: number;
  measuredMs: number;
  usedMs: number;
}

function newStretch(place: string): Stretch {
  return { place, elapsedMs: 0, measuredMs: 0, usedMs: 0 };
}

/** Where a debugger could have stopped the thread; empty when it could not. */
function stoppablePlace({ inspected, frames: [top] }: Sample): string {
  if (!inspected || top === undefined) return '';
  const kind = kindOf(top);
  const isStoppable = kind === 'application' || kind === 'dependency';
  return isStoppable ? `${top.fileName}:${top.lineNumber}:${top.columnNumber}` : '';
}
