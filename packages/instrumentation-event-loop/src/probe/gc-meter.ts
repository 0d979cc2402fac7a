import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import type { Interval } from '../contract/interval.js';
import type { GcPauses } from '../contract/model.js';

/** Pauses that are kept. With more of them, the cause of a block is already certain. */
export const MAX_PAUSES = 4096;

const arrayIterator: unknown = Array.prototype[Symbol.iterator];

/**
 * Observes garbage-collection pauses of the thread, from the first sample of a block until the block is reported. An
 * observer that is always armed costs measurably, because every scavenge creates an entry.
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
        // Node.js calls this function: an error would end the application.
      }
    });
  }

  get isArmed(): boolean {
    return this.#armedAt !== undefined;
  }

  /**
   * Starts to observe. The probe calls it inside the blocked code. Node.js iterates over its entries by the iterator of
   * arrays as it finds it, in a callback of its own: an iterator of the application that throws would end the process.
   */
  arm(): void {
    if (this.#armedAt !== undefined || Array.prototype[Symbol.iterator] !== arrayIterator) return;
    this.#armedAt = this.#now();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  disarm(): void {
    if (this.#armedAt === undefined) return;
    this.#observer.disconnect();
    this.#armedAt = undefined;
    this.#pauses = [];
  }

  /** The pauses observed so far. */
  pauses(): GcPauses {
    if (this.#armedAt !== undefined) this.#keep(this.#observer.takeRecords());
    return { observedSince: this.#armedAt, pauses: this.#pauses };
  }

  #keep(entries: readonly PerformanceEntry[]): void {
    if (this.#armedAt === undefined) return;
    for (const { startTime, duration } of entries) {
      if (this.#pauses.length < MAX_PAUSES) this.#pauses.push({ start: startTime, end: startTime + duration });
    }
  }
}
