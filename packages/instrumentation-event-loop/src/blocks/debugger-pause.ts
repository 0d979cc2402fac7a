import { kindOf } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { Sample } from '../contract/model.js';
import { difference } from './thread-times.js';

/**
 * When a debugger held the thread: samples in a row show the same position in code outside of Node, the thread neither
 * ran nor waited for a CPU most of the time between them, and its inspector was open. All such time counts as the end of
 * the block.
 */
export function debuggerPause(samples: readonly Sample[], block: Interval): readonly Interval[] {
  let pausedMs = 0;
  let stay = newStay('');
  const close = (): void => {
    if (stay.usedMs < stay.measuredMs / 2) pausedMs += stay.elapsedMs;
  };
  for (const [i, sample] of samples.entries()) {
    const before = samples[i - 1];
    const elapsedMs = sample.takenAt - (before?.takenAt ?? block.start);
    const place = stoppablePlace(sample);
    if (place !== stay.place) {
      close();
      stay = newStay(place);
    }
    if (place === '') continue;
    stay.elapsedMs += elapsedMs;
    const cpuMs = difference(sample.threadTimes?.cpuMs, before?.threadTimes?.cpuMs);
    if (cpuMs === undefined) continue; // the first sample has no sample before it to compare with
    stay.measuredMs += elapsedMs;
    stay.usedMs += cpuMs + (difference(sample.threadTimes?.runQueueMs, before?.threadTimes?.runQueueMs) ?? 0);
  }
  close();
  return pausedMs > 0 ? [{ start: block.end - pausedMs, end: block.end }] : [];
}

/** Consecutive samples at one place. */
interface Stay {
  readonly place: string;
  elapsedMs: number;
  measuredMs: number;
  usedMs: number;
}

function newStay(place: string): Stay {
  return { place, elapsedMs: 0, measuredMs: 0, usedMs: 0 };
}

/** The position at which a debugger could have stopped the thread; empty when it could not. */
function stoppablePlace({ inspected, frames: [top] }: Sample): string {
  if (!inspected || top === undefined) return '';
  const kind = kindOf(top);
  const isStoppable = kind !== 'internal' && kind !== 'builtin';
  return isStoppable ? `${top.fileName}:${top.lineNumber}:${top.columnNumber}` : '';
}
