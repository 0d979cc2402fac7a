import { executionAsyncId } from 'node:async_hooks';
import type { BusyPeriod, RecordedPeriod } from '../blocks/busy-period.js';
import type { JudgeContext } from '../blocks/judge.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import { NO_HANG_REPORTS } from '../contract/stalled-thread.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import type { OwnWork } from './own-work.js';
import { PendingBlocks } from './pending-blocks.js';
import { LAG_JUDGE_DELAY_MS, PendingLags } from './pending-lags.js';
import { mapInterruptedStack } from './source-map.js';
import { SpanEndings } from './span-endings.js';
import type { Subscribers } from './subscribers.js';

/** How often a report that waits for the source of its frames looks for it, ms. */
const MAPPING_CHECK_MS = 5;

export interface JudgingOptions {
  readonly isWorker: boolean;
  readonly contexts: Pick<ContextReader, 'active'>;
  readonly subscribers: Subscribers;
  readonly now: () => number;
  readonly timers: { readonly setTimeout: (callback: () => void, ms: number) => unknown };
  readonly ownWork: OwnWork;
  readonly threadName: string;
  /** GC pauses, suspensions and the rest of the input, as known at the time of the call. */
  readonly judgeContext: () => JudgeContext;
  /** Whether the watchdog still looks for the source of the frames. */
  readonly isMapping: () => boolean;
  /** Until when nothing is reported, on the clock of `now`: there is no provider yet. A flush does not wait. */
  readonly heldUntil: () => number;
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
  readonly #endings = new SpanEndings();
  /** The blocks that have been reported last. */
  #lastBlocks: readonly Interval[] = [];
  #isJudging = false;

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#blocks = new PendingBlocks(options.isWorker);
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

  addPeriod(recorded: RecordedPeriod): void {
    const period = this.#withEndings(recorded);
    this.#blocks.add(period, this.#options.now());
    const delayMs = this.#blocks.judgeDelay(period);
    if (delayMs === 0) this.#judgeDue();
    else this.#options.timers.setTimeout(this.#judgeDue, delayMs);
  }

  /** Adds a beat of the heartbeat, due every `intervalMs`, that was `lagMs` late at `at`. */
  addLag(lagMs: number, intervalMs: number, at: number): void {
    const { now, timers, judgeContext } = this.#options;
    if (this.#lags.add(lagMs, intervalMs, at, now())) {
      timers.setTimeout(this.#judgeDue, LAG_JUDGE_DELAY_MS);
      if (this.isEmpty) this.#judgeLags(now(), judgeContext());
    } else if (this.#lags.isBatchFull) this.#reportLags(this.#lags.takeBatch());
  }

  /** Drops what was recorded in busy periods that ended before `periodStart` and are not pending. */
  dropBefore(periodStart: number): void {
    this.#endings.dropBefore(Math.min(periodStart, this.#blocks.oldestStart));
  }

  /** Excludes an interval from blocks and lags: start-up of this package is not the application's work. */
  exclude(interval: Interval): void {
    this.#blocks.exclude(interval);
  }

  /** Records a sleep of this thread in a call. */
  addSleep(sleep: Interval): void {
    this.#blocks.addSleep(sleep);
  }

  /** Whether a block is pending, as known now. */
  hasBlock(): boolean {
    return this.#blocks.hasBlock(this.#options.judgeContext());
  }

  /** Reports what was held, as far as it is due. */
  onRelease(): void {
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
   * Keeps a span that ends at `at`, while a block is pending or in a period, from `periodStart` on, that may become one:
   * the report of the block sets its wait. All of the block is known then, so no span waits for its own.
   */
  onSpanEnding(trackedSpan: TrackedSpan, at: number, periodStart: number): void {
    const context = this.#options.contexts.active(true);
    const neededSince = Math.min(periodStart, this.#blocks.oldestStart);
    this.#endings.add({ at, context, asyncId: executionAsyncId(), trackedSpan }, neededSince);
  }

  /**
   * JSON of the `HangReport`s about the current block, an empty list where there is no block so far; where liveness is on,
   * the culprit in a second line.
   */
  hangReports(current: RecordedPeriod): string {
    const { subscribers, judgeContext } = this.#options;
    const block = this.#blocks.provisional(this.#withEndings(current), {
      ...judgeContext(),
      mapStack: mapInterruptedStack,
    });
    if (block === undefined) return NO_HANG_REPORTS;
    const reports = JSON.stringify(subscribers.each((subscriber) => subscriber.hangReport(block)));
    const [culprit] = subscribers.each((subscriber) => subscriber.livenessCulprit(block));
    return culprit === undefined ? reports : `${reports}\n${culprit}`;
  }

  /** Sends the pending blocks and the current one so far to the main thread: this thread is about to be terminated. */
  relayLast(current: RecordedPeriod): void {
    const { subscribers, judgeContext } = this.#options;
    const period = this.#withEndings(current);
    for (const block of this.#blocks.last(period, { ...judgeContext(), mapStack: mapInterruptedStack })) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.relay(block);
      });
    }
  }

  readonly #judgeDue = (): void => {
    const { now, timers, isMapping, heldUntil } = this.#options;
    if (now() < heldUntil()) return;
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
    const blocks = this.#blocks.judgeDue(now, context);
    for (const judged of blocks) {
      const block = { ...judged, endings: this.#endings.within(judged.start, Infinity) };
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.onBlock(block);
      });
    }
    if (this.isEmpty) this.#options.onJudged();
    if (blocks.length > 0) this.#lastBlocks = blocks.map(({ start, end }) => ({ start, end }));
    // Lags come after the blocks: judging a block may exclude a pause at a breakpoint.
    this.#judgeLags(now, context);
  }

  #judgeLags(now: number, { excluded }: Pick<JudgeContext, 'excluded'>): void {
    const notCounted = [...excluded, ...this.#blocks.excluded];
    for (const lagsMs of this.#lags.judgeDue(now, notCounted, this.#lastBlocks)) this.#reportLags(lagsMs);
  }

  #withEndings(period: RecordedPeriod): BusyPeriod {
    return { ...period, endings: this.#endings.within(period.start, period.end) };
  }

  #reportLags(lagsMs: readonly number[]): void {
    if (lagsMs.length === 0) return;
    const { subscribers, threadName, ownWork } = this.#options;
    ownWork.during(() => {
      const lags = { lagsMs, threadName };
      subscribers.each((subscriber) => {
        subscriber.onLag(lags);
      });
    });
  }
}
