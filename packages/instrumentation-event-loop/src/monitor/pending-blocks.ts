import type { BusyPeriod } from '../blocks/busy-period.js';
import { judge, provisionalBlock, type JudgeContext, type Judgement } from '../blocks/judge.js';
import { NEGLIGIBLE_SHARE } from '../blocks/limits.js';
import { splitAtSleeps, splitAtWaits, type Split } from '../blocks/split.js';
import { threadTimes } from '../blocks/thread-times.js';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';

/** Delay of a busy period's judgement, ms: by then the watchdog has recorded suspensions. */
export const JUDGE_DELAY_MS = 60;
/** The same in a worker thread, ms: its end, for which the main thread waits, must not come before. */
const WORKER_JUDGE_DELAY_MS = 25;
/**
 * Whether the thread ran, or waited for a CPU, for nearly the whole period. Then it was not suspended, and is judged at
 * once: the spans that end next are exported with what they waited. A test runner may kill its process right after the last
 * test.
 */
function isAccounted(period: BusyPeriod): boolean {
  const durationMs = period.end - period.start;
  const { cpuMs = 0, runQueueMs = 0 } = threadTimes(period, durationMs, { observedSince: undefined, pauses: [] });
  return durationMs - cpuMs - runQueueMs <= durationMs * NEGLIGIBLE_SHARE;
}

/** Excluded intervals, and sleeps, that are kept, so that memory is bounded: the oldest are dropped first. */
const MAX_INTERVALS = 64;

interface PendingPeriod {
  readonly period: BusyPeriod;
  readonly dueAt: number;
}

/** Holds busy periods until they can be judged. */
export class PendingBlocks {
  readonly #isWorker: boolean;
  #periods: PendingPeriod[] = [];
  #excluded: Interval[] = [];
  #sleeps: Interval[] = [];

  constructor(isWorker: boolean) {
    this.#isWorker = isWorker;
  }

  /** Delay of the period's judgement, ms. */
  judgeDelay(period: BusyPeriod): number {
    if (isAccounted(period)) return 0;
    return this.#isWorker ? WORKER_JUDGE_DELAY_MS : JUDGE_DELAY_MS;
  }

  /** Whether no busy period is pending. */
  get isEmpty(): boolean {
    return this.#periods.length === 0;
  }

  /** Start of the oldest pending period; Infinity without one. */
  get oldestStart(): number {
    return this.#periods[0]?.period.start ?? Infinity;
  }

  /** Intervals that are not counted: breakpoints, sleeps of a pool worker, start-up of this package. */
  get excluded(): readonly Interval[] {
    return this.#excluded;
  }

  /** Excludes an interval; it replaces one with the same start, whose end was not known yet. */
  exclude(interval: Interval): void {
    const others = this.#excluded.filter(({ start }) => start !== interval.start);
    this.#excluded = [...others.slice(1 - MAX_INTERVALS), interval];
  }

  /** Records a sleep in a call, counted or not: the thread used no CPU then, which matters for the block before it. */
  addSleep(sleep: Interval): void {
    this.#sleeps = [...this.#sleeps.slice(1 - MAX_INTERVALS), sleep];
  }

  /** Adds a busy period, which can be judged from `now` + `judgeDelay` on. */
  add(period: BusyPeriod, now: number): void {
    const dueAt = now + this.judgeDelay(period);
    const { parts, idle } = splitAtWaits(period);
    const split = parts.map((part) => this.#splitAtSleeps(part));
    for (const sleep of [...idle, ...split.flatMap((each) => each.idle)]) this.exclude(sleep);
    this.#periods.push(...split.flatMap((each) => each.parts.map((part) => ({ period: part, dueAt }))));
  }

  /** Only a worker sleeps between two tasks. */
  #splitAtSleeps(period: BusyPeriod): Split {
    return this.#isWorker ? splitAtSleeps(period) : { parts: [period], idle: [] };
  }

  /** The current block as known so far; in a worker, its last part. Undefined where that is no block so far. */
  provisional(current: BusyPeriod, context: JudgeContext): Block | undefined {
    const excluded = [...context.excluded, ...this.#excluded];
    return provisionalBlock(this.#splitAtSleeps(current).parts.at(-1) ?? current, { ...context, excluded });
  }

  /**
   * The blocks of a thread that is about to be terminated: those that are pending, and the current one so far. Neither is
   * judged again.
   */
  last(current: BusyPeriod, context: JudgeContext): Block[] {
    const pending = this.#periods.map(({ period }) => period);
    const { parts } = this.#splitAtSleeps(current);
    const blocks = [...pending, ...parts].flatMap((period) => this.#judge(period, context).block ?? []);
    this.#periods = [];
    this.exclude({ start: current.start, end: current.end });
    return blocks;
  }

  /** Judges the busy periods that are due at `now` (Infinity: all) and returns the blocks among them. */
  judgeDue(now: number, context: JudgeContext): Block[] {
    const due = this.#periods.filter(({ dueAt }) => dueAt <= now + 1);
    this.#periods = this.#periods.filter((entry) => !due.includes(entry));
    return due.flatMap(({ period }) => {
      const { block, paused } = this.#judge(period, context);
      for (const pause of paused) this.exclude(pause);
      return block ? [block] : [];
    });
  }

  /** Whether one of the busy periods is a block, as known now. */
  hasBlock(context: JudgeContext): boolean {
    return this.#periods.some(({ period }) => this.#judge(period, context).block !== undefined);
  }

  #judge(period: BusyPeriod, context: JudgeContext): Judgement {
    const excluded = [...context.excluded, ...this.#excluded];
    return judge(period, { ...context, excluded, standstills: [...context.standstills, ...this.#sleeps] });
  }
}
