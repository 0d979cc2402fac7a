import process from 'node:process';
import workerThreads from 'node:worker_threads';
import { loadDeferred } from 'virtual:deferred';
import type { JudgeContext } from '../blocks/judge.js';
import { fromShared, threadClock } from '../contract/clock.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import type { StartUp } from '../contract/model.js';
import { leaveOwnListenersUncounted, ownListener } from '../contract/own-listeners.js';
import { Ending, Question, Sleep, SlotInt, SlotTime } from '../contract/registry-layout.js';
import { Registry } from '../contract/registry.js';
import { ownThreadId, ownThreadTimes } from '../contract/thread-times.js';
import { isAppStarted } from '../detection/app-start-up.js';
import { whenEntryPointEvaluated } from '../detection/entry-point.js';
import { suspicionDelay } from '../detection/heartbeat.js';
import { LoopMonitor } from '../detection/loop-monitor.js';
import { rootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { GcObserver } from '../probe/gc-observer.js';
import { SampleBuffer } from '../probe/sample-buffer.js';
import { prepareAbruptEnds } from './abrupt-ends.js';
import { awaitAnswers } from './await-answers.js';
import { awaitReports } from './await-reports.js';
import { BlockRelay } from './block-relay.js';
import { currentQuestion } from './current-question.js';
import type { Judging } from './judging.js';
import { OwnWork } from './own-work.js';
import { PeriodRecorder } from './period-recorder.js';
import type { PoolSleeps } from './pool-sleeps.js';
import { repeatTerminations } from './repeat-termination.js';
import { prepareSelfKill } from './self-kill.js';
import { Subscribers, type Subscriber } from './subscribers.js';
import { nameOfThread } from './thread-name.js';
import { hasLongStartUp, ThreadStartUp } from './thread-start-up.js';
import type { WatchdogClient } from './watchdog-client.js';
import { closeSessions, isWatchdogRunning, watchdogs } from './watchdog-state.js';
import { WorkerThreads, type ThreadGroup } from './worker-threads.js';

/** How long an exclusion whose end is not known lasts at most, ms. */
const MAX_EXCLUDED_MS = 10_000;
/** A check of the watchdog that takes longer, ms, has started it, and an end of a worker that does has waited for it. */
const MIN_EXCLUDED_MS = 1;
/** A span that ends when its iteration has been busy for less than this time, ms, did not wait for a block there. */
const MIN_BUSY_MS = 10;

/** Set by the build of a bundle that contains no code of an application. */
declare const LOOPWATCH_OWN_BUNDLE: boolean | undefined;

/** Monitors the thread that creates it, for all subscribers: connects detection, probe and judging. */
export class ThreadMonitor {
  readonly #subscribers = new Subscribers();
  readonly #registry = Registry.ofProcess();
  readonly #samples = new SampleBuffer();
  readonly #gcObserver = new GcObserver(threadClock.now);
  readonly #threadTimes = ownThreadTimes();
  readonly #threadName = nameOfThread();
  readonly #slot = this.#registry.claim(workerThreads.threadId, this.#threadName);
  readonly #workers = new WorkerThreads(this.#threadName);
  readonly #relay = new BlockRelay((message) => {
    this.#subscribers.each((subscriber) => {
      subscriber.onRelayedBlock(message);
    });
  });
  readonly #loop: LoopMonitor;
  readonly #periods: PeriodRecorder;
  // These two are made when they are needed: a program that ends at once has nothing to judge, and no watchdog.
  #usedJudging: Judging | undefined;
  #usedWatchdogClient: WatchdogClient | undefined;
  readonly #ownWork = new OwnWork(threadClock.now);
  #sdkStart: Interval | undefined;
  readonly #removeWrappers: () => void;
  readonly #removeUncounted: () => void;
  readonly #contexts: ContextReader;
  /** The smallest threshold of all subscribers. */
  #thresholdMs = Infinity;
  /** Only in a worker: the main thread does not sleep between two tasks. */
  readonly #sleeps: PoolSleeps | undefined;
  readonly #startUp = new ThreadStartUp(threadClock);
  #countsStartUp = false;
  #hasEnded = false;
  /** A busy period has ended and is not pending yet. */
  #isRecording = false;
  /** End of the last busy period that has been recorded. */
  #recordedUntil = 0;

  constructor(contexts: ContextReader) {
    this.#contexts = contexts;
    const readThreadTimes = this.#threadTimes.read;
    this.#loop = new LoopMonitor({
      clock: threadClock,
      timers: rootTimers,
      slot: this.#slot,
      readThreadTimes,
      isAppStarted,
      whenEntryPointEvaluated,
      mayEnterIdleMode: () =>
        !isWatchdogRunning(this.#registry) || (this.#slot?.getInt(SlotInt.pollDescriptor) ?? 0) > 0,
      observer: {
        onBeat: (periodStart) => {
          this.#onBeat(periodStart);
        },
        onAppStarted: () => {
          this.#startUp.end();
          this.#configure();
          this.#reportStartUp();
        },
        onBusyPeriod: (start, end, startUp) => {
          this.#onBusyPeriod(start, end, startUp);
        },
        onLag: (lagMs, intervalMs, at) => {
          this.#judging.addLag(lagMs, intervalMs, at);
        },
        onError: this.#onError,
      },
    });
    this.#periods = new PeriodRecorder({
      registry: this.#registry,
      slot: this.#slot,
      samples: this.#samples,
      loop: this.#loop,
    });
    const isWorker = !workerThreads.isMainThread;
    this.#slot?.setInt(SlotInt.osThreadId, ownThreadId());
    this.#removeUncounted = leaveOwnListenersUncounted();
    if (!isWorker) process.on('worker', ownListener(this.#onWorker));
    process.on('exit', ownListener(this.#onExit));
    process.on('beforeExit', ownListener(this.#onBeforeExit));
    const removeTerminateWrapper = repeatTerminations(this.#beforeTermination);
    if (isWorker) {
      this.#sleeps = new (loadDeferred().PoolSleeps)({
        now: threadClock.now,
        slot: this.#slot,
        loop: this.#loop,
        judging: () => this.#judging,
        samples: this.#samples,
        onBusyPeriod: (start, end) => {
          this.#onBusyPeriod(start, end, 'over');
        },
        onError: this.#onError,
      });
    }
    // A worker thread cannot abort the process, and emits `exit` when it ends itself.
    const removeEndWrappers = isWorker
      ? []
      : [prepareSelfKill(this.#registry, this.#beforeSignal), prepareAbruptEnds(this.#onExit)];
    this.#removeWrappers = () => {
      for (const remove of removeEndWrappers) remove();
      removeTerminateWrapper();
      this.#sleeps?.remove();
    };
  }

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    const { problem } = this.#usedWatchdogClient ?? {};
    if (problem !== undefined) subscriber.onProblem(problem);
    this.#configure();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.flush();
    this.#subscribers.delete(subscriber);
    if (this.hasSubscribers) this.#configure();
  }

  get #judging(): Judging {
    return (this.#usedJudging ??= this.#makeJudging());
  }

  get #watchdogClient(): WatchdogClient {
    return (this.#usedWatchdogClient ??= this.#makeWatchdogClient());
  }

  #makeWatchdogClient(): WatchdogClient {
    return new (loadDeferred().WatchdogClient)({
      registry: this.#registry,
      subscribers: this.#subscribers,
      markOwnFunctions: (mark) => {
        this.#loop.markOwnFunctions(mark);
        this.#judging.markOwnFunction(mark);
      },
      markWrapper: (mark) => {
        this.#sleeps?.markWrapper(mark);
      },
      probe: {
        samples: this.#samples,
        gcObserver: this.#gcObserver,
        now: threadClock.now,
        question: () => currentQuestion(this.#slot),
        onAnswering: (isAnswering) => {
          this.#slot?.setInt(SlotInt.question, isAnswering ? Question.answering : Question.none);
        },
        threadTimes: this.#threadTimes.read,
        contexts: this.#contexts,
        isOwnBundle: typeof LOOPWATCH_OWN_BUNDLE !== 'undefined',
        isWorker: !workerThreads.isMainThread,
        ownImmediates: rootTimers.requestedIterations,
        reportIfEnding: this.#reportIfEnding,
        hangReports: () => this.#judging.hangReports(this.#periods.current()),
      },
    });
  }

  /** Called in interrupted code. */
  readonly #reportIfEnding = (): void => {
    const slot = this.#slot;
    if (slot?.getInt(SlotInt.ending) !== Ending.wanted) return;
    // The block has ended, and is reported by the code that has been interrupted.
    if (this.#isRecording || this.#usedJudging?.isJudging === true) return;
    try {
      const startUp = this.#startUp.isOver ? 'over' : 'likely';
      const current = this.#periods.current();
      const start = Math.max(current.start, this.#recordedUntil);
      this.#judging.relayLast({ ...current, start, startUp, hang: this.#registry.takeHangId(slot) });
    } finally {
      slot.setInt(SlotInt.ending, Ending.reported);
    }
  };

  #makeJudging(): Judging {
    return new (loadDeferred().Judging)({
      subscribers: this.#subscribers,
      now: threadClock.now,
      timers: rootTimers,
      ownWork: this.#ownWork,
      isWorker: !workerThreads.isMainThread,
      threadName: this.#threadName,
      contexts: this.#contexts,
      currentPeriod: () => this.#periods.current(),
      judgeContext: () => this.#judgeContext(),
      onJudged: () => {
        if (this.#slot?.getInt(SlotInt.sleep) === Sleep.reporting) this.#slot.setInt(SlotInt.sleep, Sleep.none);
      },
      onError: this.#onError,
    });
  }

  /** Sends a block of this worker thread to the main thread. */
  relayBlock(message: unknown): void {
    this.#relay.send(message);
  }

  get #hasNothingPending(): boolean {
    return this.#usedJudging?.isEmpty ?? true;
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  close(): void {
    this.#loop.stop();
    this.#usedWatchdogClient?.close();
    this.#workers.close();
    this.#gcObserver.disarm();
    this.#threadTimes.close();
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    this.#removeWrappers();
    this.#relay.close();
    process.off('worker', this.#onWorker);
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.#onBeforeExit);
    this.#removeUncounted();
  }

  /** Reports the pending blocks and lags now, with the data that exists so far. */
  readonly flush = (): void => {
    this.#loop.flushLags();
    this.#relay.drain();
    this.#usedJudging?.flush();
  };

  /**
   * Also reports the block that lasts. The callback that blocked may flush at its end and await the export, and then the
   * process is frozen: on AWS Lambda until the next request, or for ever.
   */
  flushWithCurrent(): void {
    this.#loop.endBlockSoFar();
    this.flush();
  }

  /** Excludes the time from `start` on from blocks and lags, until `excludeSince` says when it has ended. */
  excludeFrom(start: number): void {
    this.#judging.exclude({ start, end: start + MAX_EXCLUDED_MS });
  }

  /** Excludes the time since `start` from blocks and lags. */
  excludeSince(start: number): void {
    this.#judging.exclude({ start, end: threadClock.now() });
  }

  /** Keeps blocks and lags until `release`, for a limited time: there is no provider yet to which they can go. */
  hold(): void {
    this.#judging.holdUntil(threadClock.now() + MAX_EXCLUDED_MS);
  }

  release(): void {
    this.#judging.release();
  }

  /** Records when the SDK starts that this package has started: its work is not the application's. */
  setSdkStart(interval: Interval): void {
    this.#sdkStart = interval;
  }

  threadGroups(): ThreadGroup[] {
    return this.#workers.groups();
  }

  /**
   * Attributes the delays of the pending blocks, and of the current one, to a span that ends now. It is called at the
   * end of every request, so without such a block it returns after a comparison of two clock readings.
   */
  attributePendingDelays(trackedSpan: TrackedSpan, now: number): void {
    const mayBeBusy = this.#loop.isLate(now, MIN_BUSY_MS);
    if (!mayBeBusy && this.#hasNothingPending) return;
    const current = mayBeBusy ? this.#loop.currentPeriod() : undefined;
    const isBusy = current !== undefined && current.end - current.start >= MIN_BUSY_MS;
    this.#judging.onSpanEnding(trackedSpan, isBusy ? current : undefined);
  }

  #configure(): void {
    const subscribers = this.#subscribers;
    const hangAfterMs = subscribers.smallest(({ hangThresholdMs }) =>
      hangThresholdMs > 0 ? hangThresholdMs : Infinity,
    );
    this.#thresholdMs = subscribers.smallest(({ blockedThresholdMs }) => blockedThresholdMs);
    this.#countsStartUp = subscribers.some(({ countsStartUp }) => countsStartUp);
    // A long app start-up is not a hang.
    const mayHang = (this.#startUp.isOver || this.#countsStartUp) && hangAfterMs < Infinity;
    this.#slot?.setTime(SlotTime.hangAfterMs, mayHang ? hangAfterMs : 0);
    this.#slot?.setTime(SlotTime.suspectAfterMs, suspicionDelay(this.#thresholdMs));
    this.#slot?.setTime(
      SlotTime.sampleIntervalMs,
      subscribers.smallest(({ sampleIntervalMs }) => sampleIntervalMs),
    );
    this.#loop.start(this.#thresholdMs);
    if (this.#countsStartUp) this.#loop.watchStartUp();
  }

  #reportStartUp(): void {
    const durationMs = this.#startUp.takeDurationMs();
    if (durationMs === undefined) return;
    const startUp = { durationMs, threadId: workerThreads.threadId, threadName: this.#threadName };
    this.#subscribers.each((subscriber) => {
      subscriber.onStartUp(startUp);
    });
  }

  #onBeat(periodStart: number): void {
    this.#samples.dropBefore(periodStart);
    this.#usedJudging?.dropBefore(periodStart);
    if (this.#gcObserver.isArmed && this.#samples.size === 0 && this.#hasNothingPending) this.#gcObserver.disarm();
    if (this.#slot && !this.#mayEndAtOnce()) this.#ensureWatchdog();
  }

  /** A program that has nothing left to do after its evaluation ends now, and needs no watchdog. */
  #mayEndAtOnce(): boolean {
    if (!workerThreads.isMainThread || this.#startUp.isOver || this.#countsStartUp) return false;
    return process.getActiveResourcesInfo().length === 0 && !hasLongStartUp();
  }

  #ensureWatchdog(): void {
    const start = threadClock.now();
    this.#watchdogClient.ensureWatchdog(start);
    // Starting a thread takes some milliseconds, and ten times as long on an overloaded host.
    if (threadClock.now() - start > MIN_EXCLUDED_MS) this.excludeSince(start);
  }

  #onBusyPeriod(start: number, end: number, startUp: StartUp): void {
    this.#isRecording = true;
    try {
      this.#recordPeriod(start, end, startUp);
    } finally {
      this.#recordedUntil = end;
      this.#isRecording = false;
    }
  }

  #recordPeriod(start: number, end: number, startUp: StartUp): void {
    const period = this.#periods.ended(start, end, startUp);
    // A start-up without samples is no block, unless it counts: a program that ends now compiles nothing to judge it.
    if (startUp === 'likely' && period.samples.length === 0 && !this.#countsStartUp && !this.#usedJudging) return;
    if (!workerThreads.isMainThread) this.#slot?.setInt(SlotInt.sleep, Sleep.reporting);
    this.#judging.addPeriod(period);
    // The main thread waits to terminate this one.
    if (this.#slot?.getInt(SlotInt.ending) === Ending.wanted) this.#judging.judgeNow();
  }

  #judgeContext(): JudgeContext {
    const suspensions = this.#registry
      .suspensions()
      .map(({ start, end }) => ({ start: fromShared(start), end: fromShared(end) }));
    return {
      thresholdMs: this.#thresholdMs,
      excluded: suspensions,
      standstills: suspensions,
      ownWork: this.#ownWork.intervals,
      sdkStart: this.#sdkStart,
      gc: this.#gcObserver.pauses(),
      countsStartUp: this.#countsStartUp,
      isSampled: this.#usedWatchdogClient?.isSampled ?? false,
      threadId: workerThreads.threadId,
      threadName: this.#threadName,
      infoOf: (context) => this.#contexts.infoOf(context),
      mapStack: loadDeferred().mapStack,
    };
  }

  readonly #onWorker = (worker: workerThreads.Worker): void => {
    if (!watchdogs.has(worker)) this.#relay.receive();
  };

  readonly #onBeforeExit = (): void => {
    try {
      this.flush();
    } catch (error) {
      this.#onError(error);
    }
  };

  /** Called before a worker is terminated. Its wait is not the application's work. */
  readonly #beforeTermination = (threadId: number): void => {
    try {
      const start = threadClock.now();
      awaitReports(this.#registry, threadId);
      if (threadClock.now() - start > MIN_EXCLUDED_MS) this.excludeSince(start);
    } catch (error) {
      this.#onError(error);
    }
  };

  /** Called before a signal of its own ends the process, which may still survive it. */
  readonly #beforeSignal = (): void => {
    try {
      this.flushWithCurrent();
      awaitReports(this.#registry);
      this.#relay.drain();
    } catch (error) {
      this.#onError(error);
    }
  };

  readonly #onExit = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    try {
      this.#loop.flush();
      this.#reportStartUp();
      this.flush();
      this.#loop.stop();
      if (workerThreads.isMainThread) {
        awaitReports(this.#registry);
        this.#relay.drain();
        closeSessions(this.#registry);
        awaitAnswers(this.#registry);
      }
      if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    } catch (error) {
      this.#onError(error);
    }
  };

  /** Called with errors of this package's callbacks, for example where the application has patched built-ins. */
  readonly #onError = (error: unknown): void => {
    this.#subscribers.reportError('Failed to monitor the event loop', error);
  };
}
