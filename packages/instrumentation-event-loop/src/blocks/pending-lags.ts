import { overlapMs, type Interval } from '../contract/interval.js';
import { JUDGE_DELAY_MS } from './pending-blocks.js';
import { correctedLags } from './lag.js';

/** Lags from here on, ms, are judged: part of them may be a suspension or a breakpoint. */
const PENDING_LAG_MS = 50;
/** Longer than the delay of the busy period that made the lag: judging that one may exclude intervals. */
export const LAG_JUDGE_DELAY_MS = 2 * JUDGE_DELAY_MS;
/** Small lags are reported together: a record in a cold cache costs many times one that follows another. */
const BATCH_SIZE = 8;

interface PendingLag {
  readonly lagMs: number;
  readonly intervalMs: number;
  readonly at: number;
  readonly dueAt: number;
}

/** Holds lags until they can be judged, small ones until there are several. */
export class PendingLags {
  #lags: PendingLag[] = [];
  #batch: number[] = [];

  /** The heartbeat, due every `intervalMs`, was `lagMs` late at `at`. Returns whether the lag has to be judged. */
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

  /** Hands out the small lags, ms, and forgets them. */
  takeBatch(): readonly number[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  /** For each lag that is due at `now` (Infinity: for all): what events had to wait, ms. */
  judgeDue(now: number, excluded: readonly Interval[]): number[][] {
    const due = this.#lags.filter(({ dueAt }) => dueAt <= now + 1);
    this.#lags = this.#lags.filter((lag) => !due.includes(lag));
    return due.flatMap(({ lagMs, intervalMs, at }) => {
      const countedMs = lagMs - overlapMs({ start: at - lagMs, end: at }, excluded);
      return countedMs > 0 ? [correctedLags(countedMs, intervalMs)] : [];
    });
  }
}
