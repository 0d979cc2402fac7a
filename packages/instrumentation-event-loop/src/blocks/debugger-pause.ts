import { kindOf } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';
import type { WeightedSample } from './weights.js';

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
