import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { BusyPeriod } from './busy-period.js';
import { judge, provisionalBlock, type JudgeContext, type Judgement } from './judge.js';
import { splitAtSleeps } from './split-at-sleeps.js';

/** Delay of a busy period's judgement, ms: by then the watchdog has recorded suspensions, and all GC entries exist. */
export const JUDGE_DELAY_MS = 60;
const MAX_EXCLUDED = 64;

interface PendingPeriod {
  readonly period: BusyPeriod;
  readonly dueAt: number;
  /** The block as judged early. */
  earlyBlock?: Block | undefined;
  isJudgedEarly?: boolean;
}

/** Holds busy periods until they can be judged. */
export class PendingBlocks {
  readonly #isWorker: boolean;
  #periods: PendingPeriod[] = [];
  #excluded: Interval[] = [];

  constructor(isWorker: boolean) {
    this.#isWorker = isWorker;
  }

  /** Whether no busy period is pending. */
  get isEmpty(): boolean {
    return this.#periods.length === 0;
  }

  /** Intervals that are not counted: breakpoints, sleeps of a pool worker, start-up of this package. */
  get excluded(): readonly Interval[] {
    return this.#excluded;
  }

  exclude(interval: Interval): void {
    this.#excluded = [...this.#excluded.slice(1 - MAX_EXCLUDED), interval];
  }

  /** Adds a busy period, which can be judged from `now` + `JUDGE_DELAY_MS` on. */
  add(period: BusyPeriod, now: number): void {
    const { parts, idle } = this.#isWorker ? splitAtSleeps(period) : { parts: [period], idle: [] };
    this.#periods.push(...parts.map((part) => ({ period: part, dueAt: now + JUDGE_DELAY_MS })));
    for (const sleep of idle) this.exclude(sleep);
  }

  /**
   * The pending blocks that ended after `since`, as known so far: they may have delayed a span that was started then and
   * ends now. Each period is judged once; the final judgement may differ.
   */
  blocksAfter(since: number, context: () => JudgeContext): Block[] {
    return this.#periods.flatMap((pending) => {
      if (pending.period.end <= since) return [];
      if (pending.isJudgedEarly !== true) {
        pending.isJudgedEarly = true;
        pending.earlyBlock = this.#judge(pending.period, context()).block;
      }
      return pending.earlyBlock ? [pending.earlyBlock] : [];
    });
  }

  /** The current block as known so far; in a worker, its last part. */
  provisional(current: BusyPeriod, context: JudgeContext): Block {
    const part = this.#isWorker ? (splitAtSleeps(current).parts.at(-1) ?? current) : current;
    return provisionalBlock(part, context);
  }

  /** Judges the busy periods that are due at `now` (Infinity: all) and returns the blocks among them. */
  judgeDue(now: number, context: JudgeContext): Block[] {
    const due = this.#periods.filter(({ dueAt }) => dueAt <= now + 1);
    this.#periods = this.#periods.filter((entry) => !due.includes(entry));
    return due.flatMap(({ period }) => {
      const { block, pausedMs } = this.#judge(period, context);
      if (pausedMs > 0) this.exclude({ start: period.end - pausedMs, end: period.end });
      return block ? [block] : [];
    });
  }

  #judge(period: BusyPeriod, context: JudgeContext): Judgement {
    return judge(period, { ...context, excluded: [...context.excluded, ...this.#excluded] });
  }
}
