import { kindOf } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';

/** Largest share of the time in which a stopped thread uses CPU to answer the watchdog and the debugger. */
const STOPPED_SHARE = 0.3;

/**
 * Time of the block in which a debugger held the thread, in ms: samples in a row show the same position in code outside
 * of Node, the thread used hardly any CPU time between them, and its inspector was open.
 */
export function debuggerPauseMs(samples: readonly Sample[], block: Interval): number {
  let pausedMs = 0;
  let stretch = newStretch('');
  const close = (): void => {
    if (stretch.measuredMs > 0 && stretch.usedMs < stretch.measuredMs * STOPPED_SHARE) pausedMs += stretch.elapsedMs;
  };
  for (const [i, sample] of samples.entries()) {
    const before = samples[i - 1];
    const elapsedMs = sample.takenAt - (before?.takenAt ?? block.start);
    const place = stoppablePlace(sample);
    if (place !== stretch.place) {
      close();
      stretch = newStretch(place);
    }
    if (place === '') continue;
    stretch.elapsedMs += elapsedMs;
    const [now, then] = [sample.threadTimes, before?.threadTimes];
    if (!now || !then) continue; // the first sample has no sample before it to compare with
    stretch.measuredMs += elapsedMs;
    stretch.usedMs += now.cpuMs - then.cpuMs + (now.runQueueMs ?? 0) - (then.runQueueMs ?? 0);
  }
  close();
  return pausedMs;
}

/** Consecutive samples at one place. */
interface Stretch {
  readonly place: string;
  elapsedMs: number;
  measuredMs: number;
  usedMs: number;
}

function newStretch(place: string): Stretch {
  return { place, elapsedMs: 0, measuredMs: 0, usedMs: 0 };
}

/** The position at which a debugger could have stopped the thread; empty when it could not. */
function stoppablePlace({ inspected, frames: [top] }: Sample): string {
  if (!inspected || top === undefined) return '';
  const kind = kindOf(top);
  const isStoppable = kind !== 'internal' && kind !== 'builtin';
  return isStoppable ? `${top.fileName}:${top.lineNumber}:${top.columnNumber}` : '';
}
