import v8 from 'node:v8';
import type { Interval } from '../contract/interval.js';
import type { GcPauses } from '../contract/model.js';

// Taken when the module loads: the application can replace it.
const { GCProfiler } = v8;

/** Within this time after a reading, ms, an answer that came at once needs none: no collection has delayed it. */
const UNREAD_MS = 50;
/** How long a thread takes to answer at once, ms. */
const AT_ONCE_MS = 0.5;

/** Pauses that are kept one by one; of more, two neighbours become one. */
export const MAX_PAUSES = 1024;

/**
 * Measures the garbage collections of the thread, from the first sample of a block until the block is reported. V8's
 * profiler answers inside the blocked code, where the entries of a `PerformanceObserver` exist only when the loop
 * iterates again, and calls nothing of the application. It writes 3 kB for each collection, which each reading frees;
 * armed for good, it would cost measurably.
 */
export class GcMeter {
  #profiler: InstanceType<typeof GCProfiler> | undefined;
  #armedAt: number | undefined;
  #readAt = 0;
  #pauses: Interval[] = [];

  get isArmed(): boolean {
    return this.#armedAt !== undefined;
  }

  /** Called with each sample: begins to measure, or reads where it matters what has delayed the answer. */
  onAnswer(askedAt: number, now: number, wantsReport: boolean): void {
    if (wantsReport || now - askedAt > AT_ONCE_MS || now - this.#readAt > UNREAD_MS || !this.isArmed) this.read(now);
  }

  /** Begins to measure, or reads what has been measured up to `now`. Costs 0.1 ms. */
  read(now: number): void {
    try {
      const statistics = this.#profiler?.stop().statistics ?? [];
      this.#profiler ??= new GCProfiler();
      this.#profiler.start();
      if (this.#armedAt === undefined) this.#armedAt = now;
      else this.#keep(statistics, now);
      this.#readAt = now;
    } catch {
      this.#forget(); // out of memory: collections are not known then, and the block is reported all the same
    }
  }

  disarm(): void {
    try {
      this.#profiler?.stop();
    } catch {
      // Out of memory.
    }
    this.#forget();
  }

  #forget(): void {
    this.#profiler = undefined;
    this.#armedAt = undefined;
    this.#pauses = [];
  }

  /** The pauses that have been read. */
  pauses(): GcPauses {
    return { observedSince: this.#armedAt, pauses: this.#pauses };
  }

  /**
   * The profiler knows how long each collection took, and not when. A thread that is asked during a collection answers
   * right after it: the last one ends at the reading, and the others are spread evenly over the time before.
   */
  #keep(statistics: readonly { readonly cost: number }[], now: number): void {
    const count = statistics.length;
    let totalMs = 0;
    // By index: the application may have replaced the iterator of arrays.
    for (let i = count; i > 0; i--) totalMs += statistics[i - 1]!.cost / 1000;
    const gapMs = Math.max(0, now - this.#readAt - totalMs) / count;
    let end = Math.min(this.#readAt, now - totalMs);
    for (let i = count; i > 0; i--) {
      const start = end + gapMs;
      end = start + statistics[count - i]!.cost / 1000;
      this.#pauses[this.#pauses.length] = { start, end };
    }
    while (this.#pauses.length > MAX_PAUSES) this.#pauses = merged(this.#pauses);
  }
}

/** Each two neighbours as one pause of the same length together. */
function merged(pauses: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (let i = 0; i < pauses.length; i += 2) {
    const first = pauses[i]!;
    const second = pauses[i + 1];
    result[i / 2] = second ? { start: first.start, end: first.end + second.end - second.start } : first;
  }
  return result;
}
