import type { Block, HangDestination, Interval, HangReport } from '../contract/model.js';

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
  hangReport(block: Block): HangReport | undefined;
  /** Where to report when the thread does not answer; the same object as long as nothing changes. */
  hangDestination(): HangDestination | undefined;
  /** A span ends before the verdict on a block that it waited for. */
  attributeDelayEarly(trackedSpan: TrackedSpan, run: Interval, provisional: () => Block): void;
}

export interface Lags {
  readonly lagsMs: readonly number[];
  readonly threadName: string;
}

/** Who waits for the thread; only the reporting room looks into it. */
export type TrackedSpan = object;

/** The subscribers of one thread. What one of them throws stays with it: neither the application nor the others see it. */
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

  /** Calls for each of them; returns what they answered, without the undefined ones. */
  each<T>(call: (subscriber: Subscriber) => T | undefined): T[] {
    const answers: T[] = [];
    for (const subscriber of this.#subscribers) {
      try {
        const answer = call(subscriber);
        if (answer !== undefined) answers.push(answer);
      } catch (error) {
        this.reportError('A block could not be reported', error);
      }
    }
    return answers;
  }

  /** Says that something has thrown, once for each `what`. Throws nothing: the logger is the application's. */
  reportError(what: string, error: unknown): void {
    try {
      if (this.#reported.has(what)) return;
      this.#reported.add(what);
      const message = `${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
      for (const subscriber of this.#subscribers) subscriber.onProblem(message);
    } catch {
      // Nobody can be told.
    }
  }
}
