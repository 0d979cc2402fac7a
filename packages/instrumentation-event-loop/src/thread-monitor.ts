import process from 'node:process';
import * as workerThreads from 'node:worker_threads';
import { GcWatch } from './attribution/gc-watch.js';
import { Probe, PROBE_SYMBOL } from './attribution/probe.js';
import { SampleBuffer } from './attribution/sample-buffer.js';
import { mapStack } from './attribution/source-map.js';
import { judge, overlapMs, type FinishedRun } from './block.js';
import { threadClock } from './detection/clock.js';
import { suspicionDelay } from './detection/heartbeat-interval.js';
import { correctedLags } from './detection/lag.js';
import { isApplicationUp } from './detection/loading.js';
import { LoopMonitor } from './detection/loop-monitor.js';
import { Registry, SlotTime, type Slot } from './detection/registry.js';
import { rootTimers } from './detection/root-context.js';
import { ownThreadTimes } from './detection/thread-times.js';
import { closeSessions, isWatchdogRunning, startWatchdog } from './detection/watchdog-thread.js';
import type { Block, Interval } from './model.js';

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
}

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
const PAUSES_KEPT = 8;

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
  #watchdogStarts = 0;
  #problem: string | undefined;
  #runs: FinishedRun[] = [];
  /** Times at a breakpoint. */
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
        onRun: (start, end, isLoading) => {
          this.#onRun({ start, end }, isLoading);
        },
        onLag: (lagMs, intervalMs, at) => {
          this.#onLag(lagMs, intervalMs, at);
        },
      },
    });
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
    if (this.#slot) this.#registry.release(this.#slot);
    process.off('exit', this.#onExit);
    process.off('beforeExit', this.flush);
  }

  /** Tells now what is known of the blocks that have ended. */
  readonly flush = (): void => {
    const runs = this.#runs;
    this.#runs = [];
    for (const run of runs) this.#tell(run);
  };

  #configure(): void {
    const smallest = (valueOf: (subscriber: Subscriber) => number): number =>
      Math.min(...[...this.#subscribers].map(valueOf));
    const thresholdMs = smallest((subscriber) => subscriber.blockedThresholdMs);
    this.#slot?.setTime(SlotTime.suspectAfterMs, suspicionDelay(thresholdMs));
    this.#slot?.setTime(SlotTime.sampleIntervalMs, smallest((subscriber) => subscriber.sampleIntervalMs));
    this.#loop.start(thresholdMs);
  }

  #onBeat(runStart: number): void {
    this.#samples.dropBefore(runStart);
    if (this.#gcWatch.isArmed && this.#samples.size === 0 && this.#runs.length === 0) this.#gcWatch.disarm();
    const wantsWatchdog = this.#problem === undefined && [...this.#subscribers].some(({ watchdog }) => watchdog);
    if (wantsWatchdog && !isWatchdogRunning(this.#registry)) this.#startWatchdog();
  }

  #startWatchdog(): void {
    try {
      this.#probe ??= this.#installProbe();
      if (++this.#watchdogStarts > MAX_WATCHDOG_STARTS) throw new Error('the watchdog thread has ended unexpectedly');
      startWatchdog(this.#registry, PROBE_SYMBOL, (error) => {
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

  #onRun({ start, end }: Interval, isLoading: boolean): void {
    const { before, after } = this.#loop.readingsAround(start, end);
    this.#runs.push({ start, end, isLoading, samples: this.#samples.take(start, end), before, after });
    rootTimers.setTimeout(this.flush, VERDICT_DELAY_MS);
  }

  #tell(run: FinishedRun): void {
    const { block, pausedMs } = judge(run, {
      thresholdMs: Math.min(...[...this.#subscribers].map(({ blockedThresholdMs }) => blockedThresholdMs)),
      gaps: this.#gaps(),
      gcMs: this.#gcWatch.pauseMs(run),
      threadId: workerThreads.threadId,
      threadName: this.#threadName,
      mapStack,
    });
    if (pausedMs > 0) this.#pauses = [...this.#pauses.slice(1 - PAUSES_KEPT), { start: run.end - pausedMs, end: run.end }];
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
    if (this.#slot) this.#registry.release(this.#slot);
  };
}

function nameOfThread(): string {
  if (workerThreads.isMainThread) return 'main';
  // A worker cannot read its name before Node 22.
  return (workerThreads as { threadName?: string }).threadName || 'worker';
}
