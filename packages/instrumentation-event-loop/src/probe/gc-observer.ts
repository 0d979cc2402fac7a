import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import type { Interval } from '../contract/model.js';

/** Pauses kept; a block with more has told its cause long before. */
export const MAX_PAUSES = 4096;

/**
 * Garbage-collection pauses of the thread, from the first sample of a block until the block is told. An observer that is
 * always on costs measurably (every scavenge makes an entry); one per block does not.
 */
export class GcObserver {
  readonly #now: () => number;
  readonly #observer: PerformanceObserver;
  #pauses: Interval[] = [];
  #armedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#observer = new PerformanceObserver((list) => {
      try {
        this.#keep(list.getEntries());
      } catch {
        // Node calls this: what it throws would end the application.
      }
    });
  }

  get isArmed(): boolean {
    return this.#armedAt !== undefined;
  }

  /** Runs inside blocked code. */
  arm(): void {
    if (this.#armedAt !== undefined) return;
    this.#armedAt = this.#now();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  disarm(): void {
    if (this.#armedAt === undefined) return;
    this.#observer.disconnect();
    this.#armedAt = undefined;
    this.#pauses = [];
  }

  /** ms of the stretch spent in collections that were observed; undefined when less than half of it was watched. */
  pauseMs({ start, end }: Interval): number | undefined {
    if (this.#armedAt === undefined || end - this.#armedAt < (end - start) / 2) return undefined;
    this.#keep(this.#observer.takeRecords());
    return this.#pauses.reduce(
      (sum, pause) => sum + Math.max(0, Math.min(end, pause.end) - Math.max(start, pause.start)),
      0,
    );
  }

  #keep(entries: readonly PerformanceEntry[]): void {
    if (this.#armedAt === undefined) return;
    for (const { startTime, duration } of entries) {
      if (this.#pauses.length < MAX_PAUSES) this.#pauses.push({ start: startTime, end: startTime + duration });
    }
  }
}
