import { formatMs, formatShare } from '../text/format.js';
import type { Block } from '../types.js';

/*
 * The cause says what the code did. Beside it stands how much waiting for CPU has stretched the block: the time in the
 * run queue of a busy host, or while a CPU limit throttled the process.
 */

/** A block, or all blocks of a culprit. */
type Timed = Pick<Block, 'cause' | 'durationMs' | 'runQueueMs'>;

/** A smaller stretch is no news: every machine that does more than one thing has it. */
const MIN_STRETCH = 1.2;
/** Above it the time without waiting is smaller than the error of its measurement. */
const MAX_STRETCH = 99;

/**
 * How many times longer the block lasted than it would have without waiting for CPU: duration / (duration − run-queue
 * time), at most 99. Undefined below 1.2, where the run-queue time is unknown, and for `cpu_starved`, which has a sentence of
 * its own. Undefined for `waiting`, too: each question of the watchdog wakes a thread in `Atomics.wait`, and most of its
 * waits for a CPU fall into its sleep. Which of them prolong it is not known.
 */
export function stretchOf({ cause, durationMs, runQueueMs = 0 }: Timed): number | undefined {
  if (cause === 'cpu_starved' || cause === 'waiting' || durationMs <= 0) return undefined;
  const stretch = Math.min(MAX_STRETCH, durationMs / Math.max(durationMs - runQueueMs, Number.MIN_VALUE));
  return stretch >= MIN_STRETCH ? stretch : undefined;
}

/** `stretched 2.7× by waiting for CPU`, or for `cpu_starved` `78 % of it waiting for CPU`; undefined if it is no news. */
export function cpuWaitText(timed: Timed): string | undefined {
  const text = shortCpuWaitText(timed);
  return timed.cause === 'cpu_starved' || text === undefined ? text : `${text} by waiting for CPU`;
}

/** The same for a table's cell: `stretched 2.7×`. */
export function shortCpuWaitText(timed: Timed): string | undefined {
  const { cause, durationMs, runQueueMs } = timed;
  if (cause === 'cpu_starved' && runQueueMs !== undefined && durationMs > 0) {
    return `${formatShare(Math.min(1, runQueueMs / durationMs))} of it waiting for CPU`;
  }
  const stretch = stretchOf(timed);
  return stretch === undefined ? undefined : `stretched ${formatStretch(stretch)}`;
}

/** The same as a sentence, with the reason. */
export function cpuWaitSentence(timed: Timed): string | undefined {
  const { cause, durationMs, runQueueMs = 0 } = timed;
  if (cause === 'cpu_starved') {
    const text = shortCpuWaitText(timed);
    return text === undefined ? undefined : `The thread spent ${text}.`;
  }
  const stretch = stretchOf(timed);
  if (stretch === undefined) return undefined;
  const aloneMs = Math.max(0, durationMs - runQueueMs);
  return `Waiting for CPU stretched it ${formatStretch(stretch)}, from ${formatMs(aloneMs)} to ${formatMs(durationMs)}: a busy host or a CPU limit.`;
}

/** `2.7×`, `15×`, `>99×`. */
function formatStretch(stretch: number): string {
  if (stretch >= MAX_STRETCH) return `>${MAX_STRETCH}×`;
  return `${stretch < 9.95 ? stretch.toFixed(1) : String(Math.round(stretch))}×`;
}
