import { isMainThread } from 'node:worker_threads';
import { threadClock } from '../contract/clock.js';
import { showsApplicationInLoop } from '../blocks/no-block.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import type { StartUp, ThreadTimes } from '../contract/model.js';
import { Ending, Question, Sleep, SlotInt } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import type { LoopMonitor } from '../detection/loop-monitor.js';
import { rootTimers } from '../detection/root-timers.js';
import { GcMeter } from '../probe/gc-meter.js';
import { SampleBuffer } from '../probe/sample-buffer.js';
import type { BusyMoment } from './busy-time.js';
import { currentQuestion } from './current-question.js';
import { judgeInput } from './judge-input.js';
import { Judging } from './judging.js';
import { mapClientOf, type MapClient } from './map-client.js';
import { OwnWork } from './own-work.js';
import { PeriodRecorder } from './period-recorder.js';
import { PoolSleeps } from './pool-sleeps.js';
import type { Subscribers } from './subscribers.js';
import { ThreadBusyTime } from './thread-busy-time.js';
import { WatchdogClient } from './watchdog-client.js';

/** A check of the watchdog that takes longer, ms, has started it. */
const MIN_EXCLUDED_MS = 1;

/** How long the end of a thread waits for the source of its last block at most, ms. */
const MAX_WAIT_AT_END_MS = 50;

export interface ThreadBlocksOptions {
  readonly registry: Registry;
  readonly slot: Slot | undefined;
  readonly loop: LoopMonitor;
  readonly subscribers: Subscribers;
  readonly contexts: ContextReader;
  readonly readThreadTimes: () => ThreadTimes | undefined;
  readonly threadName: string;
  /** This package is bundled into a file that contains no code of an application. */
  readonly isOwnBundle: boolean;
  readonly isStartUpOver: () => boolean;
  /** No timer runs any more. */
  readonly isEnding: () => boolean;
  /** When start-up ended, and how long the loop had been busy until then; undefined while it lasts. */
  readonly startUpEnd: () => BusyMoment | undefined;
  readonly sdkStart: () => Interval | undefined;
  /** Until when blocks are not reported: there is no provider yet. */
  readonly heldUntil: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * The blocks of this thread, from the watchdog's samples to the report: connects probe, busy periods and judging. It is
 * made when the watchdog starts or something may have to be reported: a program that ends at once does not need it.
 */
export class ThreadBlocks {
  readonly #options: ThreadBlocksOptions;
  readonly #samples = new SampleBuffer();
  readonly #gcMeter: GcMeter;
  readonly #ownWork = new OwnWork(threadClock.now);
  readonly #periods: PeriodRecorder;
  readonly #busyTime: ThreadBusyTime;
  readonly #watchdogClient: WatchdogClient;
  readonly #maps: MapClient | undefined;
  /** Only in a worker: the main thread does not sleep between two tasks. */
  readonly #sleeps: PoolSleeps | undefined;
  /** A busy period has ended and is not pending yet. */
  #isRecording = false;
  /** End of the last busy period that has been recorded. */
  #recordedUntil = 0;
  readonly judging: Judging;

  constructor(options: ThreadBlocksOptions) {
    this.#options = options;
    const { registry, slot, loop, subscribers, contexts, threadName, onError } = options;
    const samples = this.#samples;
    this.#gcMeter = new GcMeter(() => loop.busyMs());
    const isWorker = !isMainThread;
    this.#periods = new PeriodRecorder({ registry, slot, samples, loop });
    this.#maps = slot && mapClientOf(slot, registry, subscribers);
    const judging = new Judging({
      subscribers,
      now: threadClock.now,
      timers: {
        // An asynchronous hook of the application that throws would print a second error.
        setTimeout: (callback, ms) => (options.isEnding() ? undefined : rootTimers.setTimeout(callback, ms)),
      },
      ownWork: this.#ownWork,
      isWorker,
      threadName,
      contexts,
      judgeContext: () =>
        judgeInput({
          ...options,
          gcMeter: this.#gcMeter,
          ownWork: this.#ownWork,
          isSampled: () => this.#watchdogClient.isSampled,
        }),
      onJudged: () => {
        if (slot?.getInt(SlotInt.sleep) === Sleep.reporting) slot.setInt(SlotInt.sleep, Sleep.none);
      },
      isMapping: () => this.#maps?.isWaiting() === true,
      heldUntil: options.heldUntil,
      onError,
    });
    this.judging = judging;
    this.#busyTime = new ThreadBusyTime({
      ...options,
      measuredGc: () => this.#gcMeter.measured,
      ownWork: this.#ownWork,
      excluded: () => judging.excluded,
    });
    this.#watchdogClient = new WatchdogClient({
      registry,
      subscribers,
      markOwnFunctions: (mark) => {
        loop.markOwnFunctions(mark);
        judging.markOwnFunction(mark);
      },
      markWrapper: (mark) => {
        this.#sleeps?.markWrapper(mark);
      },
      probe: {
        samples,
        gcMeter: this.#gcMeter,
        now: threadClock.now,
        question: () => currentQuestion(slot),
        checkpointAt: () => loop.checkpointAt,
        onAnswering: (isAnswering) => {
          slot?.setInt(SlotInt.question, isAnswering ? Question.answering : Question.none);
        },
        threadTimes: options.readThreadTimes,
        contexts,
        isOwnBundle: options.isOwnBundle,
        isWorker,
        ownImmediates: rootTimers.requestedIterations,
        reportIfEnding: this.#reportIfEnding,
        busy: this.#busyTime.recorder,
        onFrames: (frames) => {
          this.#maps?.ask(frames);
        },
        hangReports: () => judging.hangReports(this.#periods.current()),
      },
    });
    if (!isWorker) return;
    this.#sleeps = new PoolSleeps({
      now: threadClock.now,
      slot,
      loop,
      judging: () => judging,
      samples,
      onBusyPeriod: (start, end) => {
        this.record(start, end, 'over');
      },
      onError,
    });
  }

  /** Why no watchdog could start; undefined without such a failure. */
  get problem(): string | undefined {
    return this.#watchdogClient.problem;
  }

  /** Reports the time of the loop, where a second is over. All busy periods that ended before `periodStart` are known. */
  readBusyTime(periodStart: number): void {
    this.#busyTime.beat(periodStart);
  }

  /** The thread ends: what is pending waits a moment for the source of its frames. */
  waitForSources(): void {
    if (!this.judging.isEmpty) this.#maps?.waitAtEnd(MAX_WAIT_AT_END_MS);
  }

  /** Reports what is pending now, with the data that exists so far. */
  flush(): void {
    this.#ownWork.during(() => {
      this.judging.flush();
      this.#busyTime.flush();
      this.#options.subscribers.each((subscriber) => {
        subscriber.onFlush();
      });
    });
  }

  /** Drops what was recorded in busy periods that ended before `periodStart` and are not pending. */
  dropBefore(periodStart: number): void {
    this.#samples.dropBefore(periodStart);
    this.judging.dropBefore(periodStart);
    this.#gcMeter.onBeat(threadClock.now(), periodStart, this.#samples.size > 0 || !this.judging.isEmpty);
  }

  /** Called with every heartbeat. */
  ensureWatchdog(): void {
    this.#atWatchdog((now) => {
      this.#watchdogClient.ensureWatchdog(now);
    });
  }

  /** Has this thread watched by the settings of now, although no heartbeat may follow: it is blocked. */
  watchNow(): void {
    this.#atWatchdog((now) => {
      this.#watchdogClient.check(now);
    });
  }

  #atWatchdog(call: (now: number) => void): void {
    const start = threadClock.now();
    call(start);
    // Starting a thread takes some milliseconds, and ten times as long on an overloaded host.
    const end = threadClock.now();
    if (end - start > MIN_EXCLUDED_MS) this.judging.exclude({ start, end });
  }

  /** Records a busy period that has ended. It is pending then. Returns whether its samples show the application at work. */
  record(start: number, end: number, startUp: StartUp): boolean {
    let showsApplication = false;
    this.#ownWork.during(() => {
      showsApplication = this.#record(start, end, startUp);
    });
    return showsApplication;
  }

  #record(start: number, end: number, startUp: StartUp): boolean {
    const { slot, subscribers } = this.#options;
    this.#isRecording = true;
    try {
      const period = this.#periods.ended(start, end, startUp);
      this.#busyTime.addPeriod({ start: period.start, end }, period.start - start, startUp === 'likely');
      if (this.#gcMeter.isArmed) this.#gcMeter.read(end);
      // The start-up of a worker: without samples it is no block, and the end of the worker does not wait for its report.
      if (!isMainThread && startUp === 'likely' && period.samples.length === 0 && !subscribers.countsStartUp)
        return false;
      if (!isMainThread) slot?.setInt(SlotInt.sleep, Sleep.reporting);
      this.judging.addPeriod(period);
      // The main thread waits to terminate this one.
      if (slot?.getInt(SlotInt.ending) === Ending.wanted) this.judging.judgeNow();
      return showsApplicationInLoop(period.samples);
    } finally {
      this.#recordedUntil = end;
      this.#isRecording = false;
    }
  }

  /** Called when the thread is monitored, maybe inside a sleep of a pool worker. */
  beginAsleep(): void {
    this.#sleeps?.beginAsleep(() => {
      this.#watchdogClient.takeSample();
    });
  }

  close(): void {
    this.#watchdogClient.close();
    this.#gcMeter.disarm();
    this.#sleeps?.remove();
  }

  /** Called in interrupted code. */
  readonly #reportIfEnding = (): void => {
    const { registry, slot, isStartUpOver } = this.#options;
    if (slot?.getInt(SlotInt.ending) !== Ending.wanted) return;
    // The block has ended, and is reported by the code that has been interrupted.
    if (this.#isRecording || this.judging.isJudging) return;
    try {
      const startUp = isStartUpOver() ? 'over' : 'likely';
      const current = this.#periods.current();
      const start = Math.max(current.start, this.#recordedUntil);
      this.judging.relayLast({ ...current, start, startUp, hang: registry.takeHangId(slot) });
    } finally {
      slot.setInt(SlotInt.ending, Ending.reported);
    }
  };
}
