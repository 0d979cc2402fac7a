import type { HangDestination, HangReport } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { LivenessSettings } from '../contract/watchdog-data.js';
import type { TrackedSpan } from '../export/tracked-span.js';

/** One instrumentation of the thread: its configuration and its callbacks. */
export interface Subscriber {
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  /** Undefined: off. */
  readonly liveness: LivenessSettings | undefined;
  /** Called with each block of at least `blockedThresholdMs`, after its end. */
  onBlock(block: Block): void;
  /** Called with lags: how long events had to wait, one value for each heartbeat interval. */
  onLag(lags: Lags): void;
  /** Called once for each message about a part that does not work in this process. */
  onProblem(message: string): void;
  /** The watchdog's report about a block that still lasts; undefined when hang reports are off. */
  hangReport(block: Block): HangReport | undefined;
  /**
   * Where the watchdog reports when the thread does not answer; undefined when hang reports are off. Returns the same
   * object until the destination changes.
   */
  hangDestination(): HangDestination | undefined;
  /** The culprit of a block that still lasts, for the liveness answer; undefined when that must not or cannot name it. */
  livenessCulprit(block: Block): string | undefined;
  /**
   * Called when a span ends before the judgement of a block that may have delayed it. `provisional` returns that block.
   */
  attributeDelayEarly(trackedSpan: TrackedSpan, period: Interval, provisional: () => Block): void;
}

export interface Lags {
  readonly lagsMs: readonly number[];
  readonly threadName: string;
}

/** The subscribers of one thread. An error in one of them reaches neither the application nor the other subscribers. */
export class Subscribers {
  readonly #subscribers = new Set<Subscriber>();
  readonly #reported = new Set<string>();

  get size(): number {
    return this.#subscribers.size;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  delete(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  some(test: (subscriber: Subscriber) => boolean): boolean {
    return [...this.#subscribers].some(test);
  }

  smallest(valueOf: (subscriber: Subscriber) => number): number {
    return Math.min(...[...this.#subscribers].map(valueOf));
  }

  /** Calls back for each subscriber; returns the answers that are not undefined. */
  each<T>(call: (subscriber: Subscriber) => T | undefined): T[] {
    const answers: T[] = [];
    for (const subscriber of this.#subscribers) {
      try {
        const answer = call(subscriber);
        if (answer !== undefined) answers.push(answer);
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
      const message = `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
      for (const subscriber of this.#subscribers) subscriber.onProblem(message);
    } catch {
      // The application's logger has thrown, and there is no other place to report to.
    }
  }
}
