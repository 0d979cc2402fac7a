import type { Block } from './types.js';

/** A selected part of the time. */
export interface TimeRange {
  /** Epoch, ms. */
  readonly fromMs: number;
  /** Epoch, ms. */
  readonly toMs: number;
}

type Timed = Pick<Block, 'startMs' | 'durationMs'>;

/** The part of the block within the range, in ms; without a range its duration. */
export function durationWithin({ startMs, durationMs }: Timed, range: TimeRange | undefined): number {
  if (!range) return durationMs;
  const beforeMs = Math.max(0, range.fromMs - startMs);
  const afterMs = Math.max(0, startMs + durationMs - range.toMs);
  return Math.max(0, durationMs - beforeMs - afterMs);
}

/** When the block ended, epoch, ms. */
export function endOf({ startMs, durationMs, excludedMs = 0 }: Timed & Pick<Block, 'excludedMs'>): number {
  return startMs + durationMs + excludedMs;
}

/** Length that two intervals share; 0 if they do not meet. */
export function overlapMs(aStart: number, aEnd: number, bStart: number, bEnd: number): number {
  return Math.max(0, Math.min(aEnd, bEnd) - Math.max(aStart, bStart));
}
