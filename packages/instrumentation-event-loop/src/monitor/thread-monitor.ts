import process from 'node:process';
import * as workerThreads from 'node:worker_threads';
import { GcObserver } from '../probe/gc-observer.js';
import { SampleBuffer } from '../probe/sample-buffer.js';
import { mapStack } from './source-map.js';
import type { BusyPeriod, JudgeContext } from '../blocks/judge.js';
import { threadClock } from '../contract/clock.js';
import { suspicionDelay } from '../detection/heartbeat-interval.js';
import { isAppStarted } from '../detection/app-start-up.js';
import { LoopMonitor } from '../detection/loop-monitor.js';
import { Registry, SlotInt, SlotTime } from '../contract/registry.js';
import { rootTimers } from '../detection/root-timers.js';
import { closeSessionsBeforeSelfKill } from './self-kill.js';
import { repeatTerminations } from './repeat-termination.js';
import { ownThreadId, ownThreadTimes } from '../contract/thread-times.js';
import { closeSessions, isWatchdogRunning } from './start-watchdog.js';
import { WorkerThreads, type ThreadGroup } from './worker-threads.js';
import type { Interval } from '../contract/model.js';
import { Subscribers, type TrackedSpan, type Subscriber } from './subscribers.js';
import { PendingBlocks } from '../blocks/pending-blocks.js';
import { WatchdogClient } from './watchdog-client.js';

/** Watches the thread it is made in, for any number of subscribers: detection and attribution, wired. */
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
  readonly #pendingBlocks: PendingBlocks;
  readonly #watchdogClient: WatchdogClient;
  readonly #takeOffWrappers: () => void;
  /** The smallest of the subscribers'. */
  #thresholdMs = Infinity;
  #isUp = false;

  constructor(captureContext: () => unknown) {
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
          this.#isUp = true;
          this.#configure();
        },
        onBusyPeriod: (start, end, isStartUp) => {
          this.#onRun({ start, end }, isStartUp);
        },
        onLag: (lagMs, intervalMs, at) => {
          this.#pendingBlocks.addLag(lagMs, intervalMs, at);
        },
        onError: this.#onError,
      },
    });
    const isWorker = !workerThreads.isMainThread;
    this.#pendingBlocks = new PendingBlocks({
      subscribers: this.#subscribers,
      now: threadClock.now,
      isWorker,
      threadName: this.#threadName,
      judgeContext: (run) => this.#judgeContext(run),
      suspensions: () => this.#suspensions(),
      onError: this.#onError,
    });
    this.#watchdogClient = new WatchdogClient({
      registry: this.#registry,
      subscribers: this.#subscribers,
      markOwnFunctions: (mark) => {
        this.#loop.markOwnFunctions(mark);
      },
      probe: {
        samples: this.#samples,
        gcObserver: this.#gcObserver,
        now: threadClock.now,
        requestedAt: () => this.#loop.fromShared(this.#slot?.getTime(SlotTime.requestedAt) ?? 0),
        threadTimes: readThreadTimes,
        captureContext,
        isWorker,
        describe: () => this.#pendingBlocks.story(this.#unfinished()),
      },
    });
    this.#slot?.setInt(SlotInt.osThreadId, ownThreadId());
    process.on('exit', this.#onExit);
    process.on('beforeExit', this.#onBeforeExit);
    const takeOffKill = isWorker ? () => undefined : closeSessionsBeforeSelfKill(this.#registry);
    const takeOffTerminate = repeatTerminations();
    this.#takeOffWrappers = () => {
      takeOffKill();
      takeOffTerminate();
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
    if (!this.isIdle) this.#configure();
  }

  /** Nobody wants to know. */
  get isIdle(): boolean {
    return this.#subscribers.size === 0;
  }

  close(): void {
    this.#loop.stop();
    this.#watchdogClient.close();
    this.#workers.close();
    this.#gcObserver.disarm();
    this.#threadTimes.close();
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    this.#takeOffWrappers();
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.#onBeforeExit);
  }

  /** Tells now what is known of the blocks that have ended. */
  readonly flush = (): void => {
    this.#loop.flushLags();
    this.#pendingBlocks.flush();
  };

  /** Has the time since `start` count for nothing. */
  excludeSince(start: number): void {
    this.#pendingBlocks.exclude({ start, end: threadClock.now() });
  }

  threadGroups(): ThreadGroup[] {
    return this.#workers.groups();
  }

  /**
   * Charges the blocks that have no verdict yet to a span that ends now: those that are over and the one that may be under
   * way. Asked at the end of every request, so it looks at the clock first.
   */
  attributePendingDelays(trackedSpan: TrackedSpan, now: number): void {
    const isLate = this.#loop.isLate(now, this.#thresholdMs);
    if (isLate || !this.#pendingBlocks.isEmpty)
      this.#pendingBlocks.attributeDelayEarly(trackedSpan, isLate ? this.#unfinished() : undefined);
  }

  #configure(): void {
    const subscribers = this.#subscribers;
    const hangAfterMs = subscribers.smallest(({ hangThresholdMs }) =>
      hangThresholdMs > 0 ? hangThresholdMs : Infinity,
    );
    this.#thresholdMs = subscribers.smallest(({ blockedThresholdMs }) => blockedThresholdMs);
    // Start-up may take as long as it takes.
    this.#slot?.setTime(SlotTime.hangAfterMs, this.#isUp && hangAfterMs < Infinity ? hangAfterMs : 0);
    this.#slot?.setTime(SlotTime.suspectAfterMs, suspicionDelay(this.#thresholdMs));
    this.#slot?.setTime(
      SlotTime.sampleIntervalMs,
      subscribers.smallest(({ sampleIntervalMs }) => sampleIntervalMs),
    );
    this.#loop.start(this.#thresholdMs);
  }

  #onBeat(periodStart: number): void {
    this.#samples.dropBefore(periodStart);
    if (this.#gcObserver.isArmed && this.#samples.size === 0 && this.#pendingBlocks.isEmpty) this.#gcObserver.disarm();
    if (this.#slot) this.#watchdogClient.ensure(threadClock.now());
  }

  #onRun({ start, end }: Interval, isStartUp: boolean): void {
    const hang = this.#slot && this.#registry.takeHangId(this.#slot);
    const samples = this.#samples.take(start, end);
    this.#pendingBlocks.add({ start, end, isStartUp, hang, samples, ...this.#loop.readingsAround(start, end) });
  }

  /** The run that is under way. */
  #unfinished(): BusyPeriod {
    const { start, end } = this.#loop.currentPeriod();
    const samples = this.#samples.since(start);
    return { start, end, isStartUp: false, hang: undefined, samples, ...this.#loop.readingsAround(start, end) };
  }

  #judgeContext(run: BusyPeriod): JudgeContext {
    return {
      thresholdMs: this.#thresholdMs,
      suspensions: this.#suspensions(),
      gcMs: this.#gcObserver.pauseMs(run),
      threadId: workerThreads.threadId,
      threadName: this.#threadName,
      mapStack,
    };
  }

  #suspensions(): Interval[] {
    const fromShared = (time: number): number => this.#loop.fromShared(time);
    return this.#registry.suspensions().map(({ start, end }) => ({ start: fromShared(start), end: fromShared(end) }));
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

  /** What of ours has thrown where Node called it: in a realm whose built-ins the application has replaced, say. */
  readonly #onError = (error: unknown): void => {
    this.#subscribers.reportError('Watching the event loop has failed for a moment', error);
  };
}

function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker cannot read its name before Node 22; one without a name is called `WorkerThread` by Node.
  const { threadName } = workerThreads as { threadName?: string };
  return threadName === undefined || threadName === '' || threadName === 'WorkerThread' ? 'worker' : threadName;
}
