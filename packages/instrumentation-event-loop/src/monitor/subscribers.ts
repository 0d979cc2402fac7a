import { isNativeError, Math, Set } from '../contract/built-ins.js';
import type { HangDestination, HangNotice, HangReport } from '../contract/hang-report.js';
import type { BusyWindow } from '../contract/busy-time-data.js';
import type { Block } from '../contract/model.js';
import type { LivenessSettings } from '../contract/liveness-data.js';
import type { PoolReadings, PoolStarvationSeen } from '../contract/thread-pool-data.js';

/** What the configuration of an instrumentation says of the thread that it monitors. */
export interface SubscriberSettings {
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  /** Age of a block from which on the watchdog reports it so far to a file, ms; Infinity: never. */
  readonly soFarThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  /** Start-up is judged like any other busy period. */
  readonly countsStartUp: boolean;
  /** Undefined: off. */
  readonly liveness: LivenessSettings | undefined;
  /** How often a busy thread is asked what it does, in a second for which it is busy; 0: never. */
  readonly busySamplesPerSecond: number;
  /** libuv's thread pool is watched. */
  readonly threadPool: boolean;
  /** The watchdog maps generated code to its source. */
  readonly sourceMaps: boolean;
}

/** One instrumentation of the thread: its settings and its callbacks. */
export interface Subscriber extends SubscriberSettings {
  /** The watchdog also watches a program that seems to have nothing left to do. */
  readonly isWatchedToEnd: boolean;
  /** Called with each block of at least `blockedThresholdMs`, after its end. */
  onBlock(block: Block): void;
  /** Called once, when the start-up of the thread is over, if the thread was monitored from its beginning on. */
  onStartUp(startUp: StartUpDuration): void;
  /** Called with a block of a worker thread that is about to be terminated, to send it to the main thread. */
  relay(block: Block): void;
  /** Called with a block of a worker thread without an SDK, as its instrumentation has sent it. */
  onRelayedBlock(message: unknown): void;
  /** Called with the time of the loop, once a second at most, and only where it was busy. */
  onBusyWindow(window: BusyWindow): void;
  /** Called when everything that is known has been reported: the telemetry is flushed, or the thread ends. */
  onFlush(): void;
  /** Called with lags: how long events had to wait, one value for each heartbeat interval. */
  onLag(lags: Lags): void;
  /** Called once for each message about a part that does not work in this process. */
  onProblem(message: string): void;
  /** The watchdog's report about a block that still lasts. */
  hangReport(block: Block): HangReport | undefined;
  /** Whether `onHang` is to be called. Asked once a second. */
  wantsHangNotices(): boolean;
  /** Called in the thread that has started the watchdog, as soon as its loop iterates: a thread of the process hangs. */
  onHang(notice: HangNotice): void;
  /** Called once a second with what the watchdog has measured, in the thread that has started it. */
  onPoolReadings(readings: PoolReadings): void;
  /** Called there when a task begins to wait: the requests that are not answered yet, as `name×N`; undefined: not known. */
  openRequests(): readonly string[] | undefined;
  /** Called there when a task has waited for the pool for longer than the threshold. */
  onPoolStarvation(starvation: PoolStarvationSeen): void;
  /**
   * Where the watchdog reports when the thread does not answer; undefined when hang reports are off. Returns the same
   * object until the destination changes.
   */
  hangDestination(): HangDestination | undefined;
  /** The culprit of a block that still lasts, for the liveness answer; undefined when that must not or cannot name it. */
  livenessCulprit(block: Block): string | undefined;
}

export interface StartUpDuration {
  /** Time in which the thread was busy from its beginning to the end of its start-up. */
  readonly durationMs: number;
  readonly threadId: number;
  readonly threadName: string;
}

export interface Lags {
  readonly lagsMs: readonly number[];
  readonly threadName: string;
}

/** The subscribers of one thread. An error in one of them reaches neither the application nor the other subscribers. */
export class Subscribers {
  #subscribers: readonly Subscriber[] = [];
  readonly #reported = new Set<string>();

  get size(): number {
    return this.#subscribers.length;
  }

  /** The smallest threshold of all subscribers. */
  get thresholdMs(): number {
    return this.smallest(({ blockedThresholdMs }) => blockedThresholdMs);
  }

  get countsStartUp(): boolean {
    return this.some(({ countsStartUp }) => countsStartUp);
  }

  add(subscriber: Subscriber): void {
    const subscribers = this.#without(subscriber);
    subscribers[subscribers.length] = subscriber;
    this.#subscribers = subscribers;
  }

  delete(subscriber: Subscriber): void {
    this.#subscribers = this.#without(subscriber);
  }

  some(test: (subscriber: Subscriber) => boolean): boolean {
    for (let i = 0; i < this.#subscribers.length; i++) if (test(this.#subscribers[i]!)) return true;
    return false;
  }

  smallest(valueOf: (subscriber: Subscriber) => number): number {
    let smallest = Infinity;
    for (let i = 0; i < this.#subscribers.length; i++) smallest = Math.min(smallest, valueOf(this.#subscribers[i]!));
    return smallest;
  }

  /** Calls back for each subscriber; returns the answers that are not undefined. */
  each<T>(call: (subscriber: Subscriber) => T | undefined): T[] {
    const answers: T[] = [];
    const subscribers = this.#subscribers;
    for (let i = 0; i < subscribers.length; i++) {
      try {
        const answer = call(subscribers[i]!);
        if (answer !== undefined) answers[answers.length] = answer;
      } catch (error) {
        this.reportError('Failed to report a block', error);
      }
    }
    return answers;
  }

  /** Reports the first error for each `what`. Never throws, although the application's logger may. */
  reportError(what: string, error: unknown): void {
    try {
      if (this.#reported.has(what)) return;
      this.#reported.add(what);
      // An error of another realm is no `instanceof Error`.
      const reason: unknown = isNativeError(error) ? (error.stack ?? error.message) : error;
      const message = error === undefined ? what : `${what}: ${String(reason)}`;
      const subscribers = this.#subscribers;
      for (let i = 0; i < subscribers.length; i++) subscribers[i]!.onProblem(message);
    } catch {
      // The application's logger has thrown, and there is no other place to report to.
    }
  }

  #without(subscriber: Subscriber): Subscriber[] {
    const others: Subscriber[] = [];
    for (let i = 0; i < this.#subscribers.length; i++) {
      const other = this.#subscribers[i]!;
      if (other !== subscriber) others[others.length] = other;
    }
    return others;
  }
}
