import process from 'node:process';
import * as workerThreads from 'node:worker_threads';
import type { JudgeContext } from '../blocks/judge.js';
import { fromShared, threadClock } from '../contract/clock.js';
import type { ContextReader } from '../contract/context-reader.js';
import { SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Sample } from '../contract/model.js';
import { Registry, type Slot } from '../contract/registry.js';
import { ownThreadId, ownThreadTimes } from '../contract/thread-times.js';
import { isAppStarted } from '../detection/app-start-up.js';
import { suspicionDelay } from '../detection/heartbeat.js';
import { LoopMonitor } from '../detection/loop-monitor.js';
import { rootTimers } from '../detection/root-timers.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { GcObserver } from '../probe/gc-observer.js';
import { SampleBuffer } from '../probe/sample-buffer.js';
import { Judging, type RecordedPeriod } from './judging.js';
import { OwnWork } from './own-work.js';
import { repeatTerminations } from './repeat-termination.js';
import { closeSessionsBeforeSelfKill } from './self-kill.js';
import { mapStack } from './source-map.js';
import { closeSessions, isWatchdogRunning } from './start-watchdog.js';
import { Subscribers, type Subscriber } from './subscribers.js';
import { WatchdogClient } from './watchdog-client.js';
import { WorkerThreads, type ThreadGroup } from './worker-threads.js';

/** A check of the watchdog that takes longer, ms, has started it. */
const MIN_EXCLUDED_MS = 1;
/** A span that ends when its iteration has been busy for less than this time, ms, did not wait for a block there. */
const MIN_BUSY_MS = 10;

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
  readonly #loop: LoopMonitor;
  readonly #judging: Judging;
  readonly #watchdogClient: WatchdogClient;
  readonly #ownWork = new OwnWork(threadClock.now);
  readonly #removeWrappers: () => void;
  readonly #contexts: ContextReader;
  /** The smallest threshold of all subscribers. */
  #thresholdMs = Infinity;
  #isAppStarted = false;

  constructor(contexts: ContextReader) {
    this.#contexts = contexts;
    const readThreadTimes = this.#threadTimes.read;
    this.#loop = new LoopMonitor({
      clock: threadClock,
      timers: rootTimers,
      slot: this.#slot,
      readThreadTimes,
      isAppStarted,
      mayEnterIdleMode: () =>
        !isWatchdogRunning(this.#registry) || (this.#slot?.getInt(SlotInt.pollDescriptor) ?? 0) > 0,
      observer: {
        onBeat: (periodStart) => {
          this.#onBeat(periodStart);
        },
        onAppStarted: () => {
          this.#isAppStarted = true;
          this.#configure();
        },
        onBusyPeriod: (start, end, isStartUp) => {
          this.#onBusyPeriod(start, end, isStartUp);
        },
        onLag: (lagMs, intervalMs, at) => {
          this.#judging.addLag(lagMs, intervalMs, at);
        },
        onError: this.#onError,
      },
    });
    const isWorker = !workerThreads.isMainThread;
    this.#judging = new Judging({
      subscribers: this.#subscribers,
      now: threadClock.now,
      timers: rootTimers,
      ownWork: this.#ownWork,
      isWorker,
      threadName: this.#threadName,
      contexts,
      currentPeriod: () => this.#currentPeriod(),
      judgeContext: () => this.#judgeContext(),
      onError: this.#onError,
    });
    this.#watchdogClient = new WatchdogClient({
      registry: this.#registry,
      subscribers: this.#subscribers,
      markOwnFunctions: (mark) => {
        this.#loop.markOwnFunctions(mark);
        this.#judging.markOwnFunction(mark);
      },
      probe: {
        samples: this.#samples,
        gcObserver: this.#gcObserver,
        now: threadClock.now,
        question: () => questionOf(this.#slot),
        threadTimes: readThreadTimes,
        contexts,
        isWorker,
        hangReports: () => this.#judging.hangReports(this.#currentPeriod()),
      },
    });
    this.#slot?.setInt(SlotInt.osThreadId, ownThreadId());
    process.on('exit', this.#onExit);
    process.on('beforeExit', this.#onBeforeExit);
    const removeKillWrapper = isWorker ? () => undefined : closeSessionsBeforeSelfKill(this.#registry);
    const removeTerminateWrapper = repeatTerminations();
    this.#removeWrappers = () => {
      removeKillWrapper();
      removeTerminateWrapper();
    };
  }

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    if (this.#watchdogClient.problem !== undefined) subscriber.onProblem(this.#watchdogClient.problem);
    this.#configure();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.flush();
    this.#subscribers.delete(subscriber);
    if (this.hasSubscribers) this.#configure();
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  close(): void {
    this.#loop.stop();
    this.#watchdogClient.close();
    this.#workers.close();
    this.#gcObserver.disarm();
    this.#threadTimes.close();
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    this.#removeWrappers();
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.#onBeforeExit);
  }

  /** Reports the pending blocks and lags now, with the data that exists so far. */
  readonly flush = (): void => {
    this.#loop.flushLags();
    this.#judging.flush();
  };

  /** Excludes the time since `start` from blocks and lags. */
  excludeSince(start: number): void {
    this.#judging.exclude({ start, end: threadClock.now() });
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
    if (!mayBeBusy && this.#judging.isEmpty) return;
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
    // A long app start-up is not a hang.
    this.#slot?.setTime(SlotTime.hangAfterMs, this.#isAppStarted && hangAfterMs < Infinity ? hangAfterMs : 0);
    this.#slot?.setTime(SlotTime.suspectAfterMs, suspicionDelay(this.#thresholdMs));
    this.#slot?.setTime(
      SlotTime.sampleIntervalMs,
      subscribers.smallest(({ sampleIntervalMs }) => sampleIntervalMs),
    );
    this.#loop.start(this.#thresholdMs);
  }

  #onBeat(periodStart: number): void {
    this.#samples.dropBefore(periodStart);
    this.#judging.dropBefore(periodStart);
    if (this.#gcObserver.isArmed && this.#samples.size === 0 && this.#judging.isEmpty) this.#gcObserver.disarm();
    if (this.#slot) this.#ensureWatchdog();
  }

  #ensureWatchdog(): void {
    const start = threadClock.now();
    this.#watchdogClient.ensureWatchdog(start);
    // Starting a thread takes some milliseconds, and ten times as long on an overloaded host.
    if (threadClock.now() - start > MIN_EXCLUDED_MS) this.excludeSince(start);
  }

  #onBusyPeriod(start: number, end: number, isStartUp: boolean): void {
    const hang = this.#slot && this.#registry.takeHangId(this.#slot);
    const samples = this.#samples.take(start, end);
    this.#judging.addPeriod({ start, end, isStartUp, hang, samples, ...this.#loop.readingsAround(start, end) });
  }

  /** The busy period that has not ended yet. */
  #currentPeriod(): RecordedPeriod {
    const { start, end } = this.#loop.currentPeriod();
    const samples = this.#samples.since(start);
    return { start, end, isStartUp: false, hang: undefined, samples, ...this.#loop.readingsAround(start, end) };
  }

  #judgeContext(): JudgeContext {
    const suspensions = this.#registry.suspensions();
    return {
      thresholdMs: this.#thresholdMs,
      excluded: suspensions.map(({ start, end }) => ({ start: fromShared(start), end: fromShared(end) })),
      ownWork: this.#ownWork.intervals,
      gc: this.#gcObserver.pauses(),
      isSampled: this.#slot !== undefined && this.#watchdogClient.isSampled,
      threadId: workerThreads.threadId,
      threadName: this.#threadName,
      infoOf: (context) => this.#contexts.infoOf(context),
      mapStack,
    };
  }

  readonly #onBeforeExit = (): void => {
    try {
      this.flush();
    } catch (error) {
      this.#onError(error);
    }
  };

  readonly #onExit = (): void => {
    try {
      this.#loop.flush();
      this.flush();
      this.#loop.stop();
      if (workerThreads.isMainThread) closeSessions(this.#registry);
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

/** When the watchdog asked the current question. */
function questionOf(slot: Slot | undefined): Pick<Sample, 'requestedAt' | 'sentAt' | 'sentRunQueueMs'> {
  const requestedAt = slot?.getTime(SlotTime.requestedAt) ?? 0;
  const sentAt = slot?.getTime(SlotTime.sentAt) ?? 0;
  const sentRunQueueMs = slot?.getTime(SlotTime.sentRunQueueMs) ?? NaN;
  return {
    requestedAt: fromShared(requestedAt),
    sentAt: sentAt < requestedAt ? undefined : fromShared(sentAt),
    sentRunQueueMs: Number.isNaN(sentRunQueueMs) ? undefined : sentRunQueueMs,
  };
}

function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker can read its name from Node 22 on. Node calls a worker without a name `WorkerThread`.
  const { threadName } = workerThreads as { threadName?: string };
  return threadName === undefined || threadName === '' || threadName === 'WorkerThread' ? 'worker' : threadName;
}
