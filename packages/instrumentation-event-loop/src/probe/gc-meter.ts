import v8 from 'node:v8';
import type { Interval } from '../contract/interval.js';
import type { GcPauses } from '../contract/model.js';

// Taken when the module loads: the application can replace it.
const { GCProfiler } = v8;

/** Within this time after a reading, ms, an answer that came at once needs none: no collection has delayed it. */
const UNREAD_MS = 50;
/** How long a thread takes to answer at once, ms. */
const AT_ONCE_MS = 0.5;
/** For how long the loop has been busy since the last reading, ms, when a beat makes the next one: a collection is busy time. */
const BUSY_UNREAD_MS = 10;

/** For how long the loop is busy while its collections are counted, to find out what the meter costs, ms. */
const COUNT_MS = 1000;
/**
 * More collections than this in that time, and shorter ones, ms, on average, are not worth the 50 µs that V8's profiler
 * costs for each: they delay no answer.
 */
const MANY_COLLECTIONS = 50;
const SHORT_COLLECTION_MS = 2;
/** How long the meter rests then, ms. */
const REST_MS = 30_000;

/** For how long the loop was busy while collections were measured, since some moment, and how long these took, ms. */
export interface MeasuredCollections {
  readonly busyMs: number;
  readonly gcMs: number;
}

/** Pauses that are kept one by one; of more, two neighbours become one. */
export const MAX_PAUSES = 1024;

/**
 * Measures the garbage collections of the thread, from the first beat on: V8 answers the first question of a block only
 * when the collection is over that blocks. Where they are many and short, it rests, and measures from the first sample of
 * a block until the block is reported. V8's profiler answers inside the blocked code, where the entries of a
 * `PerformanceObserver` exist only when the loop iterates again, and calls nothing of the application. It writes 3 kB
 * for each collection, which each reading frees.
 */
export class GcMeter {
  readonly #busyMs: () => number;
  #profiler: InstanceType<typeof GCProfiler> | undefined;
  #armedAt: number | undefined;
  #readAt = 0;
  #busyMsAtReading = 0;
  #pauses: Interval[] = [];
  #restsUntil = -Infinity;
  /** Collections since the loop had been busy for that long, and how long they took. */
  #countedFromBusyMs = 0;
  #count = 0;
  #collectedMs = 0;
  #measured: MeasuredCollections = { busyMs: 0, gcMs: 0 };

  /** `busyMs`: for how long the loop has been busy since some moment. */
  constructor(busyMs: () => number) {
    this.#busyMs = busyMs;
  }

  get isArmed(): boolean {
    return this.#armedAt !== undefined;
  }

  /** Called with each beat, in which busy periods before `periodStart` are pending or not needed any more. */
  onBeat(now: number, periodStart: number, isPending: boolean): void {
    const isResting = now < this.#restsUntil;
    if (!isPending && this.#pauses.length > 0) this.#pauses = this.#pauses.filter(({ end }) => end > periodStart);
    if (isResting && this.isArmed && !isPending) this.disarm();
    if (isResting) return;
    if (!this.isArmed || this.#busyMs() - this.#busyMsAtReading > BUSY_UNREAD_MS) this.read(now);
    this.#restWhereCostly(now);
  }

  /** Called with each sample: begins to measure, or reads where it matters what has delayed the answer. */
  onAnswer(askedAt: number, now: number, wantsReport: boolean): void {
    if (wantsReport || now - askedAt > AT_ONCE_MS || now - this.#readAt > UNREAD_MS || !this.isArmed) this.read(now);
  }

  /** Begins to measure, or reads what has been measured up to `now`. The first time costs 0.1 ms, each other 5 µs. */
  read(now: number): void {
    try {
      // An answer may interrupt a reading, and then finds a profiler that has stopped.
      const stopped = this.#profiler?.stop();
      const busyMs = this.#busyMs();
      this.#profiler ??= new GCProfiler();
      this.#profiler.start();
      if (this.#armedAt === undefined) {
        this.#armedAt = now;
        this.#countFrom(busyMs);
      } else {
        const ownBusyMs = busyMs - this.#busyMsAtReading;
        const gcMs = this.#keep(stopped?.statistics ?? [], now, Math.max(this.#readAt, now - ownBusyMs));
        this.#measured = { busyMs: this.#measured.busyMs + ownBusyMs, gcMs: this.#measured.gcMs + gcMs };
      }
      this.#readAt = now;
      this.#busyMsAtReading = busyMs;
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

  /** Nothing of the time in which it rests. */
  get measured(): MeasuredCollections {
    return this.#measured;
  }

  #countFrom(busyMs: number): void {
    this.#countedFromBusyMs = busyMs;
    this.#count = 0;
    this.#collectedMs = 0;
  }

  #restWhereCostly(now: number): void {
    const busyMs = this.#busyMsAtReading;
    if (busyMs - this.#countedFromBusyMs < COUNT_MS) return;
    const areMany = this.#count / (busyMs - this.#countedFromBusyMs) > MANY_COLLECTIONS / COUNT_MS;
    if (areMany && this.#collectedMs < this.#count * SHORT_COLLECTION_MS) this.#restsUntil = now + REST_MS;
    this.#countFrom(busyMs);
  }

  /**
   * The profiler knows how long each collection took, and not when. A thread that is asked during a collection answers
   * right after it: the last one ends at the reading, and the others are spread evenly over the busy time before. Returns
   * how long they took.
   */
  #keep(statistics: readonly { readonly cost: number }[], now: number, from: number): number {
    const count = statistics.length;
    let totalMs = 0;
    // By index: the application may have replaced the iterator of arrays.
    for (let i = count; i > 0; i--) totalMs += statistics[i - 1]!.cost / 1000;
    this.#count += count;
    this.#collectedMs += totalMs;
    const gapMs = Math.max(0, now - from - totalMs) / count;
    let end = Math.min(from, now - totalMs);
    for (let i = count; i > 0; i--) {
      const start = end + gapMs;
      end = start + statistics[count - i]!.cost / 1000;
      this.#pauses[this.#pauses.length] = { start, end };
    }
    while (this.#pauses.length > MAX_PAUSES) this.#pauses = merged(this.#pauses);
    return totalMs;
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
