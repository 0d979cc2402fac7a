import { splitAtSleeps, judge, overlapMs, provisionalBlock, type BusyPeriod, type JudgeContext } from './judge.js';
import { correctedLags } from './lag.js';
import { rootTimers } from '../detection/root-timers.js';
import type { Block, Interval } from '../contract/model.js';
import type { TrackedSpan, Subscribers } from '../monitor/subscribers.js';

/** After that long, in ms, the watchdog has noted that it was late itself, and the last GC entries have come. */
const JUDGE_DELAY_MS = 60;
/** Lags from here on, in ms, wait for the verdict on the block that made them. */
const PENDING_LAG_MS = 50;
const LAG_JUDGE_DELAY_MS = 2 * JUDGE_DELAY_MS;
const EXCLUDED_KEPT = 64;
const LAG_BATCH = 8;

export interface PendingBlocksOptions {
  readonly subscribers: Subscribers;
  readonly now: () => number;
  readonly isWorker: boolean;
  readonly threadName: string;
  readonly judgeContext: (run: BusyPeriod) => JudgeContext;
  /** Stretches in which nothing of the process ran. */
  readonly suspensions: () => readonly Interval[];
  /** Takes what a judgement threw that was due; must not throw itself. */
  readonly onError: (error: unknown) => void;
}

interface PendingLag {
  readonly lagMs: number;
  readonly intervalMs: number;
  readonly at: number;
  readonly dueAt: number;
}

/** Holds busy runs until it can be told whether they were blocks, and tells. */
export class PendingBlocks {
  readonly #options: PendingBlocksOptions;
  #runs: { readonly run: BusyPeriod; readonly dueAt: number }[] = [];
  #pendingLags: PendingLag[] = [];
  /** Stretches that count for nothing: at a breakpoint, or asleep as a pool worker sleeps. */
  #excluded: Interval[] = [];
  /** Told together: a record in a cold cache costs many times one that follows another. */
  #smallLags: number[] = [];

  constructor(options: PendingBlocksOptions) {
    this.#options = options;
  }

  /** No run waits. */
  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  add(run: BusyPeriod): void {
    const dueAt = this.#options.now() + JUDGE_DELAY_MS;
    const { parts, idle } = this.#options.isWorker ? splitAtSleeps(run) : { parts: [run], idle: [] };
    this.#runs.push(...parts.map((part) => ({ run: part, dueAt })));
    for (const sleep of idle) this.exclude(sleep);
    rootTimers.setTimeout(this.#judgeDue, JUDGE_DELAY_MS);
  }

  /** Tells now what is known of the blocks that have ended. */
  readonly flush = (): void => {
    this.#reportSmallLags();
    this.#judge(Infinity);
  };

  /** The heartbeat was late: tells what events had to wait, once it is known what of it counts. */
  addLag(lagMs: number, intervalMs: number, at: number): void {
    if (lagMs < PENDING_LAG_MS) {
      this.#smallLags.push(...correctedLags(lagMs, intervalMs));
      if (this.#smallLags.length >= LAG_BATCH) this.#reportSmallLags();
    } else {
      this.#pendingLags.push({ lagMs, intervalMs, at, dueAt: this.#options.now() + LAG_JUDGE_DELAY_MS });
      rootTimers.setTimeout(this.#judgeDue, LAG_JUDGE_DELAY_MS);
    }
  }

  /** Charges the runs that have no verdict yet, and the one under way, to a span that ends. */
  attributeDelayEarly(trackedSpan: TrackedSpan, underWay: BusyPeriod | undefined): void {
    const runs = this.#runs.map(({ run }) => run);
    for (const run of underWay ? [...runs, underWay] : runs) {
      this.#options.subscribers.each((subscriber) => {
        if (run.end - run.start >= subscriber.blockedThresholdMs) {
          subscriber.attributeDelayEarly(trackedSpan, run, () => this.#provisional(run));
        }
      });
    }
  }

  /** What is known of a run that is under way, for the watchdog's report. */
  story(underWay: BusyPeriod): string {
    const part = this.#options.isWorker ? (splitAtSleeps(underWay).parts.at(-1) ?? underWay) : underWay;
    const block = this.#provisional(part);
    return JSON.stringify(this.#options.subscribers.each((subscriber) => subscriber.hangReport(block)));
  }

  #provisional(run: BusyPeriod): Block {
    return provisionalBlock(run, this.#options.judgeContext(run));
  }

  readonly #judgeDue = (): void => {
    try {
      this.#judge(this.#options.now());
    } catch (error) {
      this.#options.onError(error);
    }
  };

  #judge(now: number): void {
    this.#judgeRuns(now);
    this.#judgeLags(now);
  }

  #judgeLags(now: number): void {
    const due = this.#pendingLags.filter(({ dueAt }) => dueAt <= now + 1);
    this.#pendingLags = this.#pendingLags.filter((lag) => !due.includes(lag));
    for (const { lagMs, intervalMs, at } of due) {
      const excluded = [...this.#options.suspensions(), ...this.#excluded];
      const countedMs = lagMs - overlapMs({ start: at - lagMs, end: at }, excluded);
      if (countedMs > 0) this.#reportLags(correctedLags(countedMs, intervalMs));
    }
  }

  #judgeRuns(now: number): void {
    const due = this.#runs.filter(({ dueAt }) => dueAt <= now + 1);
    this.#runs = this.#runs.filter((entry) => !due.includes(entry));
    for (const { run } of due) {
      const judgeContext = this.#options.judgeContext(run);
      const suspensions = [...judgeContext.suspensions, ...this.#excluded];
      const { block, pausedMs } = judge(run, { ...judgeContext, suspensions });
      if (pausedMs > 0) this.exclude({ start: run.end - pausedMs, end: run.end });
      if (!block) continue;
      this.#options.subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.onBlock(block);
      });
    }
  }

  #reportSmallLags(): void {
    const lagsMs = this.#smallLags;
    this.#smallLags = [];
    if (lagsMs.length > 0) this.#reportLags(lagsMs);
  }

  #reportLags(lagsMs: readonly number[]): void {
    const lags = { lagsMs, threadName: this.#options.threadName };
    this.#options.subscribers.each((subscriber) => {
      subscriber.onLag(lags);
    });
  }

  /** Has a stretch count for nothing: our own start-up is none of the application's. */
  exclude(stretch: Interval): void {
    this.#excluded = [...this.#excluded.slice(1 - EXCLUDED_KEPT), stretch];
  }
}
