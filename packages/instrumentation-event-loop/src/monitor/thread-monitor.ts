import process from 'node:process';
import * as workerThreads from 'node:worker_threads';
import { GcWatch } from '../probe/gc-observer.js';
import { SampleBuffer } from '../probe/sample-buffer.js';
import { mapStack } from './source-map.js';
import type { FinishedRun, Surroundings } from '../blocks/judge.js';
import { threadClock } from '../contract/clock.js';
import { suspicionDelay } from '../detection/heartbeat-interval.js';
import { isApplicationUp } from '../detection/app-start-up.js';
import { LoopMonitor } from '../detection/loop-monitor.js';
import { Registry, SlotInt, SlotTime } from '../contract/registry.js';
import { rootTimers } from '../detection/root-timers.js';
import { closeSessionsBeforeSelfKill } from './self-kill.js';
import { repeatTerminations } from './repeat-termination.js';
import { ownThreadId, ownThreadTimes } from '../contract/thread-times.js';
import { closeSessions, isWatchdogRunning } from './start-watchdog.js';
import { WorkerThreads, type ThreadGroup } from './worker-threads.js';
import type { Interval } from '../contract/model.js';
import { Subscribers, type Owner, type Subscriber } from './subscribers.js';
import { Verdicts } from '../blocks/pending-blocks.js';
import { Watched } from './watchdog-client.js';

/** Watches the thread it is made in, for any number of subscribers: detection and attribution, wired. */
export class ThreadMonitor {
  readonly #subscribers = new Subscribers();
  readonly #registry = Registry.ofProcess();
  readonly #samples = new SampleBuffer();
  readonly #gcWatch = new GcWatch(threadClock.now);
  readonly #threadTimes = ownThreadTimes();
  readonly #threadName = nameOfThread();
  readonly #slot = this.#registry.claim(workerThreads.threadId, this.#threadName);
  readonly #workers = new WorkerThreads(this.#threadName);
  readonly #loop: LoopMonitor;
  readonly #verdicts: Verdicts;
  readonly #watched: Watched;
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
      isApplicationUp,
      mayRest: () => !isWatchdogRunning(this.#registry) || (this.#slot?.getInt(SlotInt.pollDescriptor) ?? 0) > 0,
      observer: {
        onBeat: (runStart) => {
          this.#onBeat(runStart);
        },
        onApplicationUp: () => {
          this.#isUp = true;
          this.#configure();
        },
        onRun: (start, end, isLoading) => {
          this.#onRun({ start, end }, isLoading);
        },
        onLag: (lagMs, intervalMs, at) => {
          this.#verdicts.addLag(lagMs, intervalMs, at);
        },
        onError: this.#onError,
      },
    });
    const isWorker = !workerThreads.isMainThread;
    this.#verdicts = new Verdicts({
      subscribers: this.#subscribers,
      now: threadClock.now,
      isWorker,
      threadName: this.#threadName,
      surroundings: (run) => this.#surroundings(run),
      gaps: () => this.#gaps(),
      onError: this.#onError,
    });
    this.#watched = new Watched({
      registry: this.#registry,
      subscribers: this.#subscribers,
      markOwnFunctions: (mark) => {
        this.#loop.markOwnFunctions(mark);
      },
      probe: {
        samples: this.#samples,
        gcWatch: this.#gcWatch,
        now: threadClock.now,
        requestedAt: () => this.#loop.fromShared(this.#slot?.getTime(SlotTime.requestedAt) ?? 0),
        threadTimes: readThreadTimes,
        captureContext,
        isWorker,
        describe: () => this.#verdicts.story(this.#unfinished()),
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
    if (this.#watched.problem !== undefined) subscriber.onProblem(this.#watched.problem);
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
    this.#watched.close();
    this.#workers.close();
    this.#gcWatch.disarm();
    this.#threadTimes.close();
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    this.#takeOffWrappers();
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.#onBeforeExit);
  }

  /** Tells now what is known of the blocks that have ended. */
  readonly flush = (): void => {
    this.#loop.flushLags();
    this.#verdicts.flush();
  };

  /** Has the time since `start` count for nothing. */
  excludeSince(start: number): void {
    this.#verdicts.exclude({ start, end: threadClock.now() });
  }

  threadGroups(): ThreadGroup[] {
    return this.#workers.groups();
  }

  /**
   * Charges the blocks that have no verdict yet to a span that ends now: those that are over and the one that may be under
   * way. Asked at the end of every request, so it looks at the clock first.
   */
  chargeUnjudged(owner: Owner, now: number): void {
    const isLate = this.#loop.isLate(now, this.#thresholdMs);
    if (isLate || !this.#verdicts.isEmpty) this.#verdicts.chargeEarly(owner, isLate ? this.#unfinished() : undefined);
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

  #onBeat(runStart: number): void {
    this.#samples.dropBefore(runStart);
    if (this.#gcWatch.isArmed && this.#samples.size === 0 && this.#verdicts.isEmpty) this.#gcWatch.disarm();
    if (this.#slot) this.#watched.ensure(threadClock.now());
  }

  #onRun({ start, end }: Interval, isLoading: boolean): void {
    const hang = this.#slot && this.#registry.takeHangId(this.#slot);
    const samples = this.#samples.take(start, end);
    this.#verdicts.add({ start, end, isLoading, hang, samples, ...this.#loop.readingsAround(start, end) });
  }

  /** The run that is under way. */
  #unfinished(): FinishedRun {
    const { start, end } = this.#loop.currentRun();
    const samples = this.#samples.since(start);
    return { start, end, isLoading: false, hang: undefined, samples, ...this.#loop.readingsAround(start, end) };
  }

  #surroundings(run: FinishedRun): Surroundings {
    return {
      thresholdMs: this.#thresholdMs,
      gaps: this.#gaps(),
      gcMs: this.#gcWatch.pauseMs(run),
      threadId: workerThreads.threadId,
      threadName: this.#threadName,
      mapStack,
    };
  }

  #gaps(): Interval[] {
    const fromShared = (time: number): number => this.#loop.fromShared(time);
    return this.#registry.gaps().map(({ start, end }) => ({ start: fromShared(start), end: fromShared(end) }));
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
    this.#subscribers.tellError('Watching the event loop has failed for a moment', error);
  };
}

function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker cannot read its name before Node 22; one without a name is called `WorkerThread` by Node.
  const { threadName } = workerThreads as { threadName?: string };
  return threadName === undefined || threadName === '' || threadName === 'WorkerThread' ? 'worker' : threadName;
}
