import { overlapMs, type Interval } from '../contract/interval.js';
import { JUDGE_DELAY_MS } from './pending-blocks.js';

/** Lags of at least this length, ms, are judged first: part of them may be a suspension or a breakpoint. */
const PENDING_LAG_MS = 50;
/** Longer than the delay of the busy period that caused the lag: judging that period may exclude intervals. */
export const LAG_JUDGE_DELAY_MS = 2 * JUDGE_DELAY_MS;
/**
 * Small lags are reported in batches: with cold caches, one single record costs many times as much as a further one.
 */
const BATCH_SIZE = 8;

interface PendingLag {
  readonly lagMs: number;
  readonly intervalMs: number;
  readonly at: number;
  readonly dueAt: number;
}

/** Holds lags: long ones until they can be judged, small ones until a batch is full. */
export class PendingLags {
  #lags: PendingLag[] = [];
  #batch: number[] = [];

  /**
   * Adds a beat of the heartbeat, due every `intervalMs`, that was `lagMs` late at `at`. Returns whether it must be
   * judged.
   */
  add(lagMs: number, intervalMs: number, at: number, now: number): boolean {
    if (lagMs < PENDING_LAG_MS) {
      this.#batch.push(...correctedLags(lagMs, intervalMs));
      return false;
    }
    this.#lags.push({ lagMs, intervalMs, at, dueAt: now + LAG_JUDGE_DELAY_MS });
    return true;
  }

  get isBatchFull(): boolean {
    return this.#batch.length >= BATCH_SIZE;
  }

  /** Returns the small lags, ms, and removes them. */
  takeBatch(): readonly number[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  /**
   * Judges the lags that are due at `now` (Infinity: all), and those that come from one of the `reported` blocks: a
   * process that is killed right after the block has reported both, or none. Returns for each how long events waited, ms.
   */
  judgeDue(now: number, excluded: readonly Interval[], reported: readonly Interval[] = []): number[][] {
    const due = this.#lags.filter(
      ({ dueAt, lagMs, at }) => dueAt <= now + 1 || isOf({ start: at - lagMs, end: at }, reported),
    );
    this.#lags = this.#lags.filter((lag) => !due.includes(lag));
    return due.flatMap(({ lagMs, intervalMs, at }) => {
      const countedMs = lagMs - overlapMs({ start: at - lagMs, end: at }, excluded);
      return countedMs > 0 ? [correctedLags(countedMs, intervalMs)] : [];
    });
  }
}

function isOf(lag: Interval, blocks: readonly Interval[]): boolean {
  return overlapMs(lag, blocks) > (lag.end - lag.start) / 2;
}

/**
 * Corrects a lag for coordinated omission: while the loop is `lagMs` late, the heartbeat cannot measure the events that
 * arrive every `intervalMs`. Returns how long each of them waits, in ms: the measured lag, and the lags of the missed
 * beats. Without them, a block of 3 s would weigh as much as a delay of 1 ms.
 *
 * A very long lag gives at most `maxSamples` values, evenly spaced, so that reporting it costs a bounded time.
 */
export function correctedLags(lagMs: number, intervalMs: number, maxSamples = 10_000): number[] {
  if (!(lagMs > 0)) return [0];
  const step = Math.max(intervalMs, lagMs / maxSamples);
  const lags: number[] = [];
  for (let left = lagMs; left > 0; left -= step) lags.push(left);
  return lags;
}
