import type { BusyPeriod } from '../blocks/busy-period.js';
import { provisionalBlock, type JudgeContext } from '../blocks/judge.js';
import { JUDGE_DELAY_MS, PendingBlocks } from '../blocks/pending-blocks.js';
import { LAG_JUDGE_DELAY_MS, PendingLags } from '../blocks/pending-lags.js';
import type { Interval } from '../contract/interval.js';
import type { RootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import type { Subscribers } from './subscribers.js';

export interface JudgingOptions {
  readonly subscribers: Subscribers;
  readonly now: () => number;
  readonly timers: Pick<RootTimers, 'setTimeout'>;
  readonly isWorker: boolean;
  readonly threadName: string;
  /** GC pauses, suspensions and the rest of the input, as known at the time of the call. */
  readonly judgeContext: () => JudgeContext;
  /** Called with errors of a judgement that a timer has started. It must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * Holds the thread's busy periods and lags until they can be judged, and reports blocks and lags to the subscribers.
 */
export class Judging {
  readonly #options: JudgingOptions;
  readonly #blocks: PendingBlocks;
  readonly #lags = new PendingLags();

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#blocks = new PendingBlocks(options.isWorker);
  }

  /** Whether no busy period is pending. */
  get isEmpty(): boolean {
    return this.#blocks.isEmpty;
  }

  addPeriod(period: BusyPeriod): void {
    this.#blocks.add(period, this.#options.now());
    this.#options.timers.setTimeout(this.#judgeDue, JUDGE_DELAY_MS);
  }

  /** Adds a beat of the heartbeat, due every `intervalMs`, that was `lagMs` late at `at`. */
  addLag(lagMs: number, intervalMs: number, at: number): void {
    const { now, timers } = this.#options;
    if (this.#lags.add(lagMs, intervalMs, at, now())) timers.setTimeout(this.#judgeDue, LAG_JUDGE_DELAY_MS);
    else if (this.#lags.isBatchFull) this.#reportLags(this.#lags.takeBatch());
  }

  /** Excludes an interval from blocks and lags: start-up of this package is not the application's work. */
  exclude(interval: Interval): void {
    this.#blocks.exclude(interval);
  }

  /** Reports the pending blocks and lags now, with the data that exists so far. */
  flush(): void {
    this.#reportLags(this.#lags.takeBatch());
    this.#judge(Infinity);
  }

  /** Attributes the delays of the pending blocks, and of the current one, to a span that ends now. */
  attributeDelayEarly(trackedSpan: TrackedSpan, current: BusyPeriod | undefined): void {
    const { subscribers, judgeContext } = this.#options;
    for (const period of this.#blocks.periods(current)) {
      subscribers.each((subscriber) => {
        if (period.end - period.start < subscriber.blockedThresholdMs) return;
        subscriber.attributeDelayEarly(trackedSpan, period, () => provisionalBlock(period, judgeContext()));
      });
    }
  }

  /** JSON of the `HangReport`s about the current block; where liveness is on, the culprit in a second line. */
  hangReports(current: BusyPeriod): string {
    const { subscribers, judgeContext } = this.#options;
    const block = this.#blocks.provisional(current, judgeContext());
    const reports = JSON.stringify(subscribers.each((subscriber) => subscriber.hangReport(block)));
    const [culprit] = subscribers.each((subscriber) => subscriber.livenessCulprit(block));
    return culprit === undefined ? reports : `${reports}\n${culprit}`;
  }

  readonly #judgeDue = (): void => {
    try {
      this.#judge(this.#options.now());
    } catch (error) {
      this.#options.onError(error);
    }
  };

  #judge(now: number): void {
    const { subscribers, judgeContext } = this.#options;
    const context = judgeContext();
    for (const block of this.#blocks.judgeDue(now, context)) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.onBlock(block);
      });
    }
    // Lags come after the blocks: judging a block may exclude a pause at a breakpoint.
    const excluded = [...context.excluded, ...this.#blocks.excluded];
    for (const lagsMs of this.#lags.judgeDue(now, excluded)) this.#reportLags(lagsMs);
  }

  #reportLags(lagsMs: readonly number[]): void {
    if (lagsMs.length === 0) return;
    const lags = { lagsMs, threadName: this.#options.threadName };
    this.#options.subscribers.each((subscriber) => {
      subscriber.onLag(lags);
    });
  }
}
