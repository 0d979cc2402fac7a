import workerThreads from 'node:worker_threads';
import { loadDeferred } from 'virtual:deferred';
import { attempt, drop, droppedErrors, onDroppedError } from '../contract/guard.js';
import { threadClock, toShared } from '../contract/clock.js';
import type { ContextReader } from '../contract/context-reader.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import { leaveOwnListenersUncounted, listenToProcess } from '../contract/own-listeners.js';
import { SlotInt } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { ownThreadId, ownThreadTimes } from '../contract/thread-times.js';
import { activeResources, isAppStarted } from '../detection/app-start-up.js';
import { whenEntryPointEvaluated } from '../detection/entry-point.js';
import { LoopMonitor } from '../detection/loop-monitor.js';
import type { LoopObserver } from '../detection/loop-observer.js';
import { rootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { BlockRelay } from './block-relay.js';
import type { BusyMoment } from './busy-time.js';
import { writeSettings } from './slot-settings.js';
import { Subscribers, type Subscriber } from './subscribers.js';
import type { ThreadBlocks } from './thread-blocks.js';
import { ThreadEnds, type EndingMonitor } from './thread-ends.js';
import { nameOfThread } from './thread-name.js';
import { hasLongStartUp, ThreadStartUp } from './thread-start-up.js';
import { isWatchdogRunning, watchdogs } from './watchdog-state.js';
import { WorkerThreads, type ThreadGroup } from './worker-threads.js';

/** Set by the build of a bundle that contains no code of an application. No build reaches the text of the deferred code. */
declare const LOOPWATCH_OWN_BUNDLE: boolean | undefined;

/** How long an exclusion whose end is not known lasts at most, ms. */
const MAX_EXCLUDED_MS = 10_000;
/** A span that ends when its iteration has been busy for less than this time, ms, did not wait for a block there. */
const MIN_BUSY_MS = 10;

/** Monitors the thread that creates it, for all subscribers: connects its loop, its blocks, its workers and its ends. */
export class ThreadMonitor implements EndingMonitor {
  readonly #subscribers = new Subscribers();
  readonly #registry = Registry.ofProcess();
  readonly #threadTimes = ownThreadTimes();
  readonly #threadName = nameOfThread();
  readonly #slot = this.#registry.claim(workerThreads.threadId, this.#threadName);
  readonly #workers = new WorkerThreads(this.#threadName, (since) => {
    const time = { start: toShared(since), end: Infinity };
    return overlapMs(time, this.#registry.suspensions());
  });
  readonly #relay = new BlockRelay((message) => {
    this.#subscribers.each((subscriber) => {
      subscriber.onRelayedBlock(message);
    });
  });
  readonly #contexts: ContextReader;
  readonly #loop: LoopMonitor;
  readonly #startUp = new ThreadStartUp(threadClock);
  readonly #ends: ThreadEnds;
  readonly #removeUncounted: () => void;
  readonly #stopReporting: () => void;
  readonly #stopListening: (() => void) | undefined;
  #usedBlocks: ThreadBlocks | undefined;
  #sdkStart: Interval | undefined;
  #startUpEnd: BusyMoment | undefined;
  /** When a block of start-up began that shows the application, which waits in a top-level `await` between its blocks. */
  #applicationSeenAt: number | undefined;
  #heldUntil = -Infinity;
  #isEnding = false;
  #countsStartUp = false;

  constructor(contexts: ContextReader) {
    this.#contexts = contexts;
    this.#stopReporting = onDroppedError((error) => {
      this.#subscribers.reportError('Failed to monitor the event loop', error);
    });
    this.#loop = new LoopMonitor({
      clock: threadClock,
      timers: rootTimers,
      slot: this.#slot,
      readThreadTimes: this.#threadTimes.read,
      isAppStarted: () => this.#applicationSeenAt !== undefined || isAppStarted(),
      whenEntryPointEvaluated,
      mayEnterIdleMode: () =>
        !isWatchdogRunning(this.#registry) || (this.#slot?.getInt(SlotInt.pollDescriptor) ?? 0) > 0,
      observer: this.#loopObserver(),
    });
    this.#slot?.setInt(SlotInt.osThreadId, ownThreadId());
    this.#removeUncounted = leaveOwnListenersUncounted();
    if (workerThreads.isMainThread) this.#stopListening = listenToProcess('worker', this.#onWorker);
    // A pool worker sleeps between its tasks, maybe before its first heartbeat.
    else this.#usedBlocks = this.#makeBlocks();
    this.#ends = new ThreadEnds({ registry: this.#registry, slot: this.#slot, monitor: this });
  }

  subscribe(subscriber: Subscriber): void {
    const joins = this.hasSubscribers;
    this.#subscribers.add(subscriber);
    const { problem } = this.#usedBlocks ?? {};
    if (problem !== undefined) subscriber.onProblem(problem);
    this.#configure();
    this.#usedBlocks?.beginAsleep();
    // `loopwatch attach` joins from inside a block, after which no heartbeat may come.
    if (joins && subscriber.countsStartUp && this.#slot) this.#blocks.watchNow();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.flush();
    this.#subscribers.delete(subscriber);
    if (this.hasSubscribers) this.#configure();
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  get #blocks(): ThreadBlocks {
    if (this.#usedBlocks) return this.#usedBlocks;
    const start = threadClock.now();
    this.#usedBlocks = this.#makeBlocks();
    // V8 compiles the deferred code: 4 to 8 ms.
    this.excludeSince(start);
    return this.#usedBlocks;
  }

  #makeBlocks(): ThreadBlocks {
    return new (loadDeferred().ThreadBlocks)({
      registry: this.#registry,
      slot: this.#slot,
      loop: this.#loop,
      subscribers: this.#subscribers,
      contexts: this.#contexts,
      readThreadTimes: this.#threadTimes.read,
      threadName: this.#threadName,
      isOwnBundle: typeof LOOPWATCH_OWN_BUNDLE !== 'undefined',
      isStartUpOver: () => this.#startUp.isOver,
      isEnding: () => this.#isEnding,
      startUpEnd: () => this.#startUpEnd,
      sdkStart: () => this.#sdkStart,
      heldUntil: () => this.#heldUntil,
      onError: this.onError,
    });
  }

  #loopObserver(): LoopObserver {
    return {
      onBeat: (periodStart) => {
        this.#usedBlocks?.readBusyTime(periodStart);
        this.#usedBlocks?.dropBefore(periodStart);
        if (this.#slot && !this.#mayEndAtOnce()) this.#blocks.ensureWatchdog();
      },
      onAppStarted: () => {
        this.#startUp.end();
        this.#startUpEnd = { at: threadClock.now(), busyMs: this.#loop.busyMs() };
        this.#configure();
        this.#reportStartUp();
      },
      onBusyPeriod: (start, end, startUp) => {
        this.#heldUntil += end - start; // it holds up what will release
        // A start-up without samples is no block, unless it counts: a program that ends now compiles nothing to judge it.
        if (startUp === 'likely' && !this.#countsStartUp && !this.#usedBlocks) return;
        if (this.#blocks.record(start, end, startUp) && startUp === 'likely') this.#applicationSeenAt ??= start;
      },
      onLag: (lagMs, intervalMs, at) => {
        this.#blocks.judging.addLag(lagMs, intervalMs, at);
      },
      onError: this.onError,
    };
  }

  /** A program that has nothing left to do after its evaluation ends now, and needs no watchdog. */
  #mayEndAtOnce(): boolean {
    if (!workerThreads.isMainThread || this.#startUp.isOver || this.#countsStartUp) return false;
    if (this.#subscribers.some(({ isWatchedToEnd }) => isWatchedToEnd)) return false;
    return activeResources().length === 0 && !hasLongStartUp();
  }

  #configure(): void {
    const { thresholdMs, countsStartUp } = this.#subscribers;
    this.#countsStartUp = countsStartUp;
    // A long app start-up is not a hang.
    if (this.#slot) writeSettings(this.#slot, this.#subscribers, this.#startUp.isOver || countsStartUp);
    this.#loop.start(thresholdMs);
    if (countsStartUp) this.#loop.watchStartUp();
  }

  #reportStartUp(): void {
    const durationMs = this.#startUp.takeDurationMs(this.#applicationSeenAt);
    if (durationMs === undefined) return;
    const startUp = { durationMs, threadId: workerThreads.threadId, threadName: this.#threadName };
    this.#subscribers.each((subscriber) => {
      subscriber.onStartUp(startUp);
    });
  }

  /**
   * Keeps a span that ends now, if a block may have delayed it. It is called at the end of every request, so without such
   * a block it returns after a comparison of two clock readings.
   */
  onSpanEnding(trackedSpan: TrackedSpan, now: number): void {
    const isPending = this.#usedBlocks?.judging.isEmpty === false;
    if (!isPending && !this.#loop.mayBeBusyFor(now, MIN_BUSY_MS)) return;
    const { start, end } = this.#loop.currentPeriod();
    if (isPending || end - start >= MIN_BUSY_MS) this.#blocks.judging.onSpanEnding(trackedSpan, end, start);
  }

  /** For shedders, which ask about the main thread only. */
  isOverloaded(lagMs: number, utilization: number): boolean {
    return workerThreads.isMainThread && this.#loop.isOverloaded(lagMs, utilization);
  }

  /** Excludes the time from `start` on from blocks and lags, until `excludeSince` says when it has ended. */
  excludeFrom(start: number): void {
    this.#blocks.judging.exclude({ start, end: start + MAX_EXCLUDED_MS });
  }

  /** Excludes the time since `start` from blocks and lags. */
  excludeSince(start: number): void {
    this.#blocks.judging.exclude({ start, end: threadClock.now() });
  }

  /** Keeps blocks and lags until `release`, for a limited time: there is no provider yet to which they can go. */
  hold(): void {
    this.#heldUntil = threadClock.now() + MAX_EXCLUDED_MS;
  }

  get #isHeld(): boolean {
    return threadClock.now() < this.#heldUntil;
  }

  /** Whether `hold` has kept a block; one that lasts is kept as far as it goes. */
  hasHeldBlock(): boolean {
    this.#loop.endBlockSoFar();
    return this.#isHeld && this.#usedBlocks?.judging.hasBlock() === true;
  }

  release(): void {
    this.#heldUntil = -Infinity;
    this.#usedBlocks?.judging.onRelease();
  }

  /** Records when the SDK starts that this package has started: its work is not the application's. */
  setSdkStart(interval: Interval): void {
    this.#sdkStart = interval;
  }

  threadGroups(): ThreadGroup[] {
    return this.#workers.groups();
  }

  readonly #onWorker = (worker: workerThreads.Worker): void => {
    if (!watchdogs.has(worker)) this.#relay.receive();
  };

  /** Sends a block of this worker thread to the main thread. */
  relayBlock(message: unknown): void {
    this.#relay.send(message);
  }

  /** Reports the blocks that workers have sent. */
  receiveBlocks(): void {
    this.#relay.drain();
  }

  /** Like `flush`, but `hold` still keeps what it keeps. */
  flushUnheld(): void {
    if (!this.#isHeld) this.flush();
  }

  /** Reports the pending blocks and lags now, with the data that exists so far. */
  flush(): void {
    this.#loop.flushLags();
    this.receiveBlocks();
    this.#usedBlocks?.flush();
  }

  /**
   * Also reports the block that lasts. The callback that blocked may flush at its end and await the export, and then the
   * process is frozen: on AWS Lambda until the next request, or for ever.
   */
  flushWithCurrent(): void {
    this.#loop.endBlockSoFar();
    this.flush();
  }

  /** Reports the last block of the thread, and stops. */
  finish(): void {
    this.#isEnding = true;
    attempt(() => this.#loop.flush());
    attempt(() => this.#reportStartUp());
    attempt(() => this.#usedBlocks?.waitForSources());
    attempt(() => this.flush());
    attempt(() => this.#loop.stop());
    const count = droppedErrors();
    if (count > 1) this.#subscribers.reportError(`${count} errors of callbacks were dropped in this thread`, undefined);
  }

  /** Each for itself: what the application has broken must not leave the rest behind. */
  close(): void {
    attempt(() => this.#loop.stop());
    attempt(() => this.#usedBlocks?.close());
    attempt(() => this.#workers.close());
    attempt(() => this.#threadTimes.close());
    attempt(() => this.#ends.close());
    attempt(() => this.#registry.forget());
    attempt(() => this.#relay.close());
    this.#stopListening?.();
    this.#removeUncounted();
    this.#stopReporting();
  }

  /** Called with errors of this package's callbacks, for example where the application has patched built-ins. */
  readonly onError = (error: unknown): void => {
    drop(error);
  };
}
