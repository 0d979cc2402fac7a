import { executionAsyncId } from 'node:async_hooks';
import type { BusyPeriod, RecordedPeriod } from '../blocks/busy-period.js';
import { contextSpells, type InfoOf } from '../blocks/context-spells.js';
import { provisionalBlock, type JudgeContext } from '../blocks/judge.js';
import { mainContext } from '../blocks/main-context.js';
import { PendingBlocks } from '../blocks/pending-blocks.js';
import { LAG_JUDGE_DELAY_MS, PendingLags } from '../blocks/pending-lags.js';
import { splitAt } from '../blocks/split-at.js';
import { weighSamples } from '../blocks/weights.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import type { Block, BlockSoFar, ContextSpell } from '../contract/model.js';
import type { RootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import type { OwnWork } from './own-work.js';
import { mapInterruptedStack } from './source-map.js';
import { SpanEndings } from './span-endings.js';
import type { Subscribers } from './subscribers.js';

/** A block that has got an identity while it lasts. */
interface CertainBlock {
  readonly id: object;
  readonly start: number;
  /** When it got the identity: until then, this was its request. */
  readonly at: number;
  readonly request: unknown;
}

/** Starts within this distance, ms, belong to the same period: a start is computed from clocks read one by one. */
const SAME_START_MS = 2;
/** Share of the known time in one request from which on a block is certain to be of that request. */
const CERTAIN_SHARE = 0.9;
/** While a block lasts, its contexts are computed again at this interval, ms, or share of its age, as samples are. */
const SO_FAR_INTERVAL_MS = 10;
const SO_FAR_GROWTH = 0.05;

export interface JudgingOptions {
  readonly subscribers: Subscribers;
  readonly now: () => number;
  readonly timers: Pick<RootTimers, 'setTimeout'>;
  readonly ownWork: OwnWork;
  readonly isWorker: boolean;
  readonly threadName: string;
  readonly contexts: ContextReader;
  /** The busy period that has not ended yet. */
  readonly currentPeriod: () => RecordedPeriod;
  /** GC pauses, suspensions and the rest of the input, as known at the time of the call. */
  readonly judgeContext: () => JudgeContext;
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
  #soFar: { readonly at: number; readonly block: BlockSoFar } | undefined;
  #certain: CertainBlock | undefined;
  #heldUntil = -Infinity;
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

  /** Makes the callback that the event loop calls here call `mark` once. */
  markOwnFunction(mark: () => void): void {
    this.#pendingMark = mark;
  }

  addPeriod(period: RecordedPeriod): void {
    const { start, end } = period;
    const endings = this.#endings.take(start, end);
    const isSame = (other: { readonly start: number } | undefined): boolean =>
      other !== undefined && Math.abs(other.start - start) < SAME_START_MS;
    const certain = isSame(this.#certain) ? this.#certain : undefined;
    const soFar = isSame(this.#soFar?.block) ? this.#soFar?.block : undefined;
    this.#certain = undefined;
    this.#soFar = undefined;
    const identified = { ...period, id: certain?.id ?? soFar?.id ?? {}, endings };
    const parts = certain && !this.#isOf(identified, certain.request) ? splitAt(identified, certain.at) : [identified];
    for (const part of parts) this.#blocks.add(part, this.#options.now());
    this.#options.timers.setTimeout(this.#judgeDue, this.#blocks.judgeDelay(identified));
  }

  /** Adds a beat of the heartbeat, due every `intervalMs`, that was `lagMs` late at `at`. */
  addLag(lagMs: number, intervalMs: number, at: number): void {
    const { now, timers } = this.#options;
    if (this.#lags.add(lagMs, intervalMs, at, now())) timers.setTimeout(this.#judgeDue, LAG_JUDGE_DELAY_MS);
    else if (this.#lags.isBatchFull) this.#reportLags(this.#lags.takeBatch());
  }

  /** Drops what was recorded in busy periods that ended before `periodStart` and were not added. */
  dropBefore(periodStart: number): void {
    this.#endings.dropBefore(periodStart);
    if (this.#certain && this.#certain.start < periodStart - SAME_START_MS) this.#certain = undefined;
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
    const { subscribers, judgeContext, contexts } = this.#options;
    for (const block of this.#blocks.blocksAfter(trackedSpan.startedAt, judgeContext)) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.attributeDelayEarly(trackedSpan, block);
      });
    }
    if (!current) return;
    const { start, end } = current;
    this.#endings.add({ at: end, context: contexts.active(), asyncId: executionAsyncId(), trackedSpan }, start);
    subscribers.each((subscriber) => {
      if (end - start < subscriber.blockedThresholdMs) return;
      subscriber.attributeDelaySoFar(trackedSpan, this.#blockSoFar(current));
    });
  }

  /** JSON of the `HangReport`s about the current block; where liveness is on, the culprit in a second line. */
  hangReports(current: RecordedPeriod): string {
    const { subscribers, judgeContext } = this.#options;
    const { start, end } = current;
    const period = { ...current, id: {}, endings: this.#endings.within(start, end) };
    const block = this.#blocks.provisional(period, { ...judgeContext(), mapStack: mapInterruptedStack });
    const reports = JSON.stringify(subscribers.each((subscriber) => subscriber.hangReport(block)));
    const [culprit] = subscribers.each((subscriber) => subscriber.livenessCulprit(block));
    return culprit === undefined ? reports : `${reports}\n${culprit}`;
  }

  /** Sends the pending blocks and the current one so far to the main thread: this thread is about to be terminated. */
  relayLast(current: RecordedPeriod): void {
    const { subscribers, judgeContext } = this.#options;
    const period = { ...current, id: {}, endings: this.#endings.within(current.start, current.end) };
    for (const block of this.#blocks.last(period, { ...judgeContext(), mapStack: mapInterruptedStack })) {
      subscribers.each((subscriber) => {
        if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.relay(block);
      });
    }
  }

  #blockSoFar({ start, end }: Interval): BlockSoFar {
    const known = this.#soFar;
    const intervalMs = Math.max(SO_FAR_INTERVAL_MS, (end - start) * SO_FAR_GROWTH);
    if (known?.block.start === start && end - known.at < intervalMs) return known.block;
    const { currentPeriod, judgeContext, isWorker } = this.#options;
    const id = known?.block.start === start ? known.block.id : {};
    const period = { ...currentPeriod(), start, id, endings: this.#endings.within(start, end) };
    const context = judgeContext();
    const contexts = contextsOf(period, context);
    // A worker's period may be split at its sleeps, when it has ended.
    const request = isWorker ? undefined : certainRequest(contexts, context.infoOf);
    const isCertain =
      request !== undefined && (this.#certain?.start !== start || this.#certain.request === request.key);
    const certain = (): Block => {
      if (this.#certain?.start !== start) this.#certain = { id, start, at: end, request: request?.key };
      return provisionalBlock(period, context);
    };
    const { endings } = period;
    const block = { id, start, contexts, endings, errorMs: intervalMs, certain: isCertain ? certain : undefined };
    this.#soFar = { at: end, block };
    return block;
  }

  /** Whether most of the period was spent in the request. */
  #isOf(period: BusyPeriod, request: unknown): boolean {
    const context = this.#options.judgeContext();
    return context.infoOf(mainContext(contextsOf(period, context), context.infoOf)).request === request;
  }

  readonly #judgeDue = (): void => {
    if (this.#options.now() < this.#heldUntil) return;
    try {
      this.#pendingMark?.();
      this.#pendingMark = undefined;
      this.#judge(this.#options.now());
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

function contextsOf(period: BusyPeriod, { excluded, infoOf }: JudgeContext): ContextSpell[] {
  return contextSpells(weighSamples(period.samples, period), period.endings, period, excluded, infoOf);
}

/** The request in which nearly all of the known time was spent; undefined where several share it. */
function certainRequest(contexts: readonly ContextSpell[], infoOf: InfoOf): { readonly key: unknown } | undefined {
  const key = infoOf(mainContext(contexts, infoOf)).request;
  let allMs = 0;
  let requestMs = 0;
  for (const { context, start, end } of contexts) {
    allMs += end - start;
    if (infoOf(context).request === key) requestMs += end - start;
  }
  return allMs > 0 && requestMs >= allMs * CERTAIN_SHARE ? { key } : undefined;
}
