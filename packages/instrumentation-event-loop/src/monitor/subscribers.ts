import type { HangDestination, HangReport } from '../contract/hang-report.js';
import type { Interval } from '../contract/interval.js';
import type { Block } from '../contract/model.js';
import type { TrackedSpan } from '../export/tracked-span.js';

/** What one instrumentation wants of the thread's monitor. */
export interface Subscriber {
  readonly blockedThresholdMs: number;
  readonly hangThresholdMs: number;
  readonly sampleIntervalMs: number;
  readonly watchdog: boolean;
  /** A block of at least `blockedThresholdMs` has ended. */
  onBlock(block: Block): void;
  /** What events had to wait, one value for each heartbeat interval. */
  onLag(lags: Lags): void;
  /** Something cannot work in this process; called once for each message. */
  onProblem(message: string): void;
  /** What the watchdog is to report of a block that lasts; undefined when hang reports are off. */
  hangReport(block: Block): HangReport | undefined;
  /** Where the watchdog reports when the thread does not answer; the same object as long as nothing changes. */
  hangDestination(): HangDestination | undefined;
  /** A span ends before a block that it may have waited for is judged. */
  attributeDelayEarly(trackedSpan: TrackedSpan, period: Interval, provisional: () => Block): void;
}

export interface Lags {
  /** ms. */
  readonly lagsMs: readonly number[];
  readonly threadName: string;
}

/** The subscribers of one thread. An error of one of them reaches neither the application nor the other subscribers. */
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

  /** Calls each subscriber; returns the answers that are not undefined. */
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

  /** Reports an error once for each `what`. Never throws: the logger is the application's. */
  reportError(what: string, error: unknown): void {
    try {
      if (this.#reported.has(what)) return;
      this.#reported.add(what);
      const message = `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
      for (const subscriber of this.#subscribers) subscriber.onProblem(message);
    } catch {
      // The logger has thrown: there is no other place to report to.
    }
  }
}
