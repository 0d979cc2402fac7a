import process from 'node:process';
import * as workerThreads from 'node:worker_threads';
import { GcWatch } from './attribution/gc-watch.js';
import { Probe, PROBE_SYMBOL } from './attribution/probe.js';
import { SampleBuffer } from './attribution/sample-buffer.js';
import { mapStack } from './attribution/source-map.js';
import { cutRun, judge, overlapMs, provisionalBlock, type FinishedRun, type Surroundings } from './block.js';
import { threadClock } from './detection/clock.js';
import { suspicionDelay } from './detection/heartbeat-interval.js';
import { correctedLags } from './detection/lag.js';
import { isApplicationUp } from './detection/loading.js';
import { LoopMonitor } from './detection/loop-monitor.js';
import { Registry, SlotInt, SlotTime, type Slot } from './detection/registry.js';
import { rootTimers } from './detection/root-context.js';
import { ownThreadId, ownThreadTimes } from './detection/thread-times.js';
import { closeSessions, isWatchdogRunning, startWatchdog, type Watchdog } from './detection/watchdog-thread.js';
import type { Block, Fallback, Interval, StallStory } from './model.js';

/** What one instrumentation wants of the thread's monitor. */
export interface Subscriber {
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  /** A block of at least `blockedThresholdMs` has ended. */
  onBlock(block: Block): void;
  /** What events had to wait, in ms, one for each heartbeat interval. */
  onLag(lags: Lags): void;
  /** Something cannot work here; told once. */
  onProblem(message: string): void;
  /** What the watchdog is to report of a block that lasts; undefined when this subscriber wants no such reports. */
  tellStory(block: Block): StallStory | undefined;
  /** Where to report when the thread does not answer; the same object as long as nothing changes. */
  fallback(): Fallback | undefined;
  /** A span ends before the verdict on a block that it waited for. */
  chargeEarly(owner: Owner, run: Interval, provisional: () => Block): void;
}

/** Who waits for the thread; opaque here. */
type Owner = object;

export interface Lags {
  readonly lagsMs: readonly number[];
  readonly threadName: string;
}

/** After that long, in ms, the watchdog has noted that it was late itself, and the last GC entries have come. */
const VERDICT_DELAY_MS = 60;
/** Lags from here on, in ms, wait for the verdict on the block that made them. */
const DOUBTFUL_LAG_MS = 50;
const LAG_DELAY_MS = 2 * VERDICT_DELAY_MS;
const MAX_WATCHDOG_STARTS = 3;
const PAUSES_KEPT = 64;

/** Watches the thread it is made in, for any number of subscribers: detection and attribution, wired. */
export class ThreadMonitor {
  readonly #subscribers = new Set<Subscriber>();
  readonly #captureContext: () => unknown;
  readonly #registry = Registry.ofProcess();
  readonly #samples = new SampleBuffer();
  readonly #gcWatch = new GcWatch(threadClock.now);
  readonly #threadTimes = ownThreadTimes();
  readonly #threadName = nameOfThread();
  readonly #slot: Slot | undefined = this.#registry.claim(workerThreads.threadId, this.#threadName);
  readonly #loop: LoopMonitor;
  #probe: Probe | undefined;
  #watchdog: Watchdog | undefined;
  #watchdogStarts = 0;
  #isUp = false;
  /** The smallest of the subscribers'. */
  #thresholdMs = Infinity;
  #problem: string | undefined;
  #runs: FinishedRun[] = [];
  /** Stretches that count for nothing: at a breakpoint, or asleep as a pool worker sleeps. */
  #pauses: Interval[] = [];

  constructor(captureContext: () => unknown) {
    this.#captureContext = captureContext;
    this.#loop = new LoopMonitor({
      clock: threadClock,
      timers: rootTimers,
      slot: this.#slot,
      readThreadTimes: () => this.#threadTimes.read(),
      isApplicationUp,
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
          this.#onLag(lagMs, intervalMs, at);
        },
      },
    });
    this.#slot?.setInt(SlotInt.osThreadId, ownThreadId());
    process.on('exit', this.#onExit);
    process.on('beforeExit', this.flush);
  }

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    if (this.#problem !== undefined) subscriber.onProblem(this.#problem);
    this.#configure();
  }

  unsubscribe(subscriber: Subscriber): void {
    this.flush();
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) this.#configure();
  }

  get isIdle(): boolean {
    return this.#subscribers.size === 0;
  }

  close(): void {
    this.#loop.stop();
    this.#probe?.uninstall();
    this.#gcWatch.disarm();
    this.#threadTimes.close();
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.flush);
  }

  /** Tells now what is known of the blocks that have ended. */
  readonly flush = (): void => {
    const runs = this.#runs;
    this.#runs = [];
    for (const run of runs) this.#tell(run);
  };

  /**
   * Charges the blocks that have no verdict yet to a span that ends now: those that are over and the one that may be under
   * way. Asked at the end of every request, so it looks at the clock first.
   */
  chargeUnjudged(owner: Owner, now: number): void {
    const thresholdMs = this.#thresholdMs;
    const open = this.#loop.isLate(now, thresholdMs) ? this.#loop.currentRun() : undefined;
    if (this.#runs.length === 0 && open === undefined) return;
    const runs = [...this.#runs, ...(open && open.end - open.start >= thresholdMs ? [this.#unfinished(open)] : [])];
    for (const run of runs) {
      for (const subscriber of this.#subscribers) {
        if (run.end - run.start < subscriber.blockedThresholdMs) continue;
        subscriber.chargeEarly(owner, run, () => provisionalBlock(run, this.#surroundings(run)));
      }
    }
  }

  #configure(): void {
    const smallest = (valueOf: (subscriber: Subscriber) => number): number =>
      Math.min(...[...this.#subscribers].map(valueOf));
    const thresholdMs = smallest((subscriber) => subscriber.blockedThresholdMs);
    this.#thresholdMs = thresholdMs;
    const hangs = [...this.#subscribers].map(({ hangThresholdMs }) => hangThresholdMs).filter((ms) => ms > 0);
    // Start-up may take as long as it takes.
    this.#slot?.setTime(SlotTime.hangAfterMs, this.#isUp && hangs.length > 0 ? Math.min(...hangs) : 0);
    this.#slot?.setTime(SlotTime.suspectAfterMs, suspicionDelay(thresholdMs));
    this.#slot?.setTime(SlotTime.sampleIntervalMs, smallest((subscriber) => subscriber.sampleIntervalMs));
    this.#loop.start(thresholdMs);
  }

  #onBeat(runStart: number): void {
    this.#samples.dropBefore(runStart);
    if (this.#gcWatch.isArmed && this.#samples.size === 0 && this.#runs.length === 0) this.#gcWatch.disarm();
    const wantsWatchdog = this.#problem === undefined && [...this.#subscribers].some(({ watchdog }) => watchdog);
    if (wantsWatchdog) this.#beWatched();
    this.#watchdog?.setFallbacks(this.#fallbacks());
  }

  #fallbacks(): Fallback[] {
    return [...this.#subscribers].map((subscriber) => subscriber.fallback()).filter((fallback) => fallback !== undefined);
  }

  /** Has a probe for the watchdog, which another thread may have started. */
  #beWatched(): void {
    try {
      this.#probe ??= this.#installProbe();
      if (isWatchdogRunning(this.#registry)) return;
      if (++this.#watchdogStarts > MAX_WATCHDOG_STARTS) throw new Error('the watchdog thread has ended unexpectedly');
      this.#watchdog = startWatchdog(this.#registry, PROBE_SYMBOL, this.#fallbacks(), (error) => {
        this.#tellProblem(error);
      });
    } catch (error) {
      this.#tellProblem(error);
    }
  }

  #installProbe(): Probe {
    const slot = this.#slot;
    if (!slot) throw new Error('all slots of the registry are taken');
    const probe = new Probe({
      samples: this.#samples,
      gcWatch: this.#gcWatch,
      now: threadClock.now,
      requestedAt: () => this.#loop.fromShared(slot.getTime(SlotTime.requestedAt)),
      threadTimes: () => this.#threadTimes.read(),
      captureContext: this.#captureContext,
      isWorker: !workerThreads.isMainThread,
      describe: () => this.#describe(),
    });
    if (!probe.install()) throw new Error('globalThis takes no property');
    // Bound and not wrapped: the function that calls it is the one to mark.
    this.#loop.markOwnFunctions(probe.markOwnFunction.bind(probe));
    return probe;
  }

  #tellProblem(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#problem = `No watchdog thread (${reason}): blocks are reported without stack, culprit and parent span; lag and durations stay.`;
    for (const subscriber of this.#subscribers) subscriber.onProblem(this.#problem);
  }

  /** What a thread that is still blocked has to say of itself; runs within the blocked code. */
  #describe(): string {
    const run = this.#unfinished(this.#loop.currentRun());
    const part = workerThreads.isMainThread ? run : (cutRun(run).parts.at(-1) ?? run);
    const block = provisionalBlock(part, this.#surroundings(part));
    return JSON.stringify([...this.#subscribers].map((subscriber) => subscriber.tellStory(block)).filter(Boolean));
  }

  #unfinished({ start, end }: Interval): FinishedRun {
    const { before, after } = this.#loop.readingsAround(start, end);
    return { start, end, isLoading: false, hang: undefined, samples: this.#samples.since(start), before, after };
  }

  #onRun({ start, end }: Interval, isLoading: boolean): void {
    const { before, after } = this.#loop.readingsAround(start, end);
    const hang = this.#slot && this.#registry.takeHangId(this.#slot);
    const run = { start, end, isLoading, hang, samples: this.#samples.take(start, end), before, after };
    if (workerThreads.isMainThread) this.#runs.push(run);
    else {
      const { parts, idle } = cutRun(run);
      this.#runs.push(...parts);
      for (const sleep of idle) this.#exclude(sleep);
    }
    rootTimers.setTimeout(this.flush, VERDICT_DELAY_MS);
  }

  #exclude(stretch: Interval): void {
    this.#pauses = [...this.#pauses.slice(1 - PAUSES_KEPT), stretch];
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

  #tell(run: FinishedRun): void {
    const { block, pausedMs } = judge(run, this.#surroundings(run));
    if (pausedMs > 0) this.#exclude({ start: run.end - pausedMs, end: run.end });
    if (!block) return;
    for (const subscriber of this.#subscribers) {
      if (block.durationMs >= subscriber.blockedThresholdMs) subscriber.onBlock(block);
    }
  }

  #onLag(lagMs: number, intervalMs: number, at: number): void {
    const tell = (countedMs: number): void => {
      const lags = { lagsMs: correctedLags(countedMs, intervalMs), threadName: this.#threadName };
      for (const subscriber of this.#subscribers) subscriber.onLag(lags);
    };
    if (lagMs < DOUBTFUL_LAG_MS) tell(lagMs);
    else {
      rootTimers.setTimeout(() => {
        const excludedMs = overlapMs({ start: at - lagMs, end: at }, [...this.#gaps(), ...this.#pauses]);
        if (excludedMs === 0 || lagMs - excludedMs > 0) tell(lagMs - excludedMs);
      }, LAG_DELAY_MS);
    }
  }

  #gaps(): Interval[] {
    return this.#registry
      .gaps()
      .map(({ start, end }) => ({ start: this.#loop.fromShared(start), end: this.#loop.fromShared(end) }));
  }

  readonly #onExit = (): void => {
    this.#loop.flush();
    this.flush();
    this.#loop.stop();
    if (workerThreads.isMainThread) closeSessions(this.#registry);
    if (this.#slot) this.#registry.release(this.#slot, workerThreads.threadId);
  };
}

function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker cannot read its name before Node 22; one without a name is called `WorkerThread` by Node.
  const { threadName } = workerThreads as { threadName?: string };
  return threadName === undefined || threadName === '' || threadName === 'WorkerThread' ? 'worker' : threadName;
}
