import type { RecordedPeriod } from '../blocks/busy-period.js';
import type { JudgeContext } from '../blocks/judge.js';
import { PendingBlocks } from '../blocks/pending-blocks.js';
import { LAG_JUDGE_DELAY_MS, PendingLags } from '../blocks/pending-lags.js';
import type { Interval } from '../contract/interval.js';
import type { RootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { CurrentBlock, type CurrentBlockOptions } from './current-block.js';
import type { OwnWork } from './own-work.js';
import { mapInterruptedStack } from './source-map.js';
import type { Subscribers } from './subscribers.js';

/** How often a report that waits for the source of its frames looks for it, ms. */
const MAPPING_CHECK_MS = 5;

export interface JudgingOptions extends CurrentBlockOptions {
  readonly subscribers: Subscribers;
  readonly now: () => number;
  readonly timers: Pick<RootTimers, 'setTimeout'>;
  readonly ownWork: OwnWork;
  readonly threadName: string;
  /** GC pauses, suspensions and the rest of the input, as known at the time of the call. */
  readonly judgeContext: () => JudgeContext;
  /** Whether the watchdog still looks for the source of the frames. */
  readonly isMapping: () => boolean;
  /** Called when no busy period is pending any more. */
  readonly onJudged: () => void;
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
  #pendingMark: (() => void) | undefined;
  readonly #current: CurrentBlock;
  #heldUntil = -Infinity;
  #isJudging = false;

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#blocks = new PendingBlocks(options.isWorker);
    this.#current = new CurrentBlock(options);
  }

  /** Whether no busy period is pending. */
  get isEmpty(): boolean {
    return this.#blocks.isEmpty;
  }

  /** Whether blocks are judged and reported now. */
  get isJudging(): boolean {
    return this.#isJudging;
  }

  /** Intervals that are not counted: breakpoints, sleeps of a pool worker, start-up of this package. */
  get excluded(): readonly Interval[] {
    return this.#blocks.excluded;
  }

  /** Makes the callback that the event loop calls here call `mark` once. */
  markOwnFunction(mark: () => void): void {
    this.#pendingMark = mark;
  }

  addPeriod(period: RecordedPeriod): void {
    const { whole, parts } = this.#current.end(period);
    for (const part of parts) this.#blocks.add(part, this.#options.now());
    this.#options.timers.setTimeout(this.#judgeDue, this.#blocks.judgeDelay(whole));
  }

  /** Adds a beat of the heartbeat, due every `intervalMs`, that was `lagMs` late at `at`. */
  addLag(lagMs: number, intervalMs: number, at: number): void {
    const { now, timers } = this.#options;
    if (this.#lags.add(lagMs, intervalMs, at, now())) timers.setTimeout(this.#judgeDue, LAG_JUDGE_DELAY_MS);
    else if (this.#lags.isBatchFull) this.#reportLags(this.#lags.takeBatch());
  }

  /** Drops what was recorded in busy periods that ended before `periodStart` and were not added. */
  dropBefore(periodStart: number): void {
    this.#current.dropBefore(periodStart);
  }

  /** Excludes an interval from blocks and lags: start-up of this package is not the application's work. */
  exclude(interval: Interval): void {
    this.#blocks.exclude(interval);
  }

  /** Records a sleep of this thread in a call. */
  addSleep(sleep: Interval): void {
    this.#blocks.addSleep(sleep);
  }

  /** Keeps what is pending until `release` is called, or until that time. A flush does not wait. */
  holdUntil(time: number): void {
    this.#heldUntil = time;
  }

  release(): void {
    this.#heldUntil = -Infinity;
    if (!this.isEmpty) this.#judgeDue();
  }

  /** Reports the pending blocks and lags now, with the data that exists so far. */
  flush(): void {
    this.#reportLags(this.#lags.takeBatch());
    this.#judge(Infinity);
  }

  /** Reports the pending blocks now: the thread may not run a timer for a long time. */
  judgeNow(): void {
    if (!this.isEmpty) this.#judge(Infinity);
  }

  /**
   * Attributes the delays of the pending blocks to a span that ends now, and what is known of the delay in the current
   * busy period. If that becomes a block, its report completes the delay.
   */
  onSpanEnding(trackedSpan: TrackedSpan, current: Interval | undefined): void {
    const { subscribers, judgeContext } = this.#options;
    for (const block of this.#blocks.blocksAfter(trackedSpan.startedAt, judgeContext)) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.attributeDelayEarly(trackedSpan, block);
      });
    }
    if (!current) return;
    const { start, end } = current;
    this.#current.addEnding(trackedSpan, current);
    subscribers.each((subscriber) => {
      if (end - start < subscriber.blockedThresholdMs) return;
      subscriber.attributeDelaySoFar(trackedSpan, this.#current.soFar(current));
    });
  }

  /** JSON of the `HangReport`s about the current block; where liveness is on, the culprit in a second line. */
  hangReports(current: RecordedPeriod): string {
    const { subscribers, judgeContext } = this.#options;
    const block = this.#blocks.provisional(this.#current.provisional(current), {
      ...judgeContext(),
      mapStack: mapInterruptedStack,
    });
    const reports = JSON.stringify(subscribers.each((subscriber) => subscriber.hangReport(block)));
    const [culprit] = subscribers.each((subscriber) => subscriber.livenessCulprit(block));
    return culprit === undefined ? reports : `${reports}\n${culprit}`;
  }

  /** Sends the pending blocks and the current one so far to the main thread: this thread is about to be terminated. */
  relayLast(current: RecordedPeriod): void {
    const { subscribers, judgeContext } = this.#options;
    const period = this.#current.provisional(current);
    for (const block of this.#blocks.last(period, { ...judgeContext(), mapStack: mapInterruptedStack })) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.relay(block);
      });
    }
  }

  readonly #judgeDue = (): void => {
    const { now, timers, isMapping } = this.#options;
    if (now() < this.#heldUntil) return;
    try {
      if (!this.isEmpty && isMapping()) {
        timers.setTimeout(this.#judgeDue, MAPPING_CHECK_MS);
        return;
      }
      this.#pendingMark?.();
      this.#pendingMark = undefined;
      this.#judge(now());
    } catch (error) {
      this.#options.onError(error);
    }
  };

  #judge(now: number): void {
    this.#isJudging = true;
    try {
      this.#options.ownWork.during(() => {
        this.#judgeAndReport(now);
      });
    } finally {
      this.#isJudging = false;
    }
  }

  #judgeAndReport(now: number): void {
    const { subscribers, judgeContext } = this.#options;
    const context = judgeContext();
    for (const block of this.#blocks.judgeDue(now, context)) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.onBlock(block);
      });
    }
    if (this.isEmpty) this.#options.onJudged();
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
