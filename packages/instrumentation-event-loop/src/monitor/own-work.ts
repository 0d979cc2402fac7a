import type { Interval } from '../contract/interval.js';

/** Shorter work, ms, is not kept: it delays nothing. */
const MIN_MS = 1;
const MAX_INTERVALS = 32;

/** When this package last worked in the thread, outside of the application's code. */
export class OwnWork {
  readonly #now: () => number;
  #totalMs = 0;
  #intervals: readonly Interval[] = [];
  #startedAt: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** For how long this package has worked there since the thread began, ms. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** Also of the work that lasts, up to now: the watchdog may ask within it. */
  get intervals(): readonly Interval[] {
    return this.#startedAt === undefined
      ? this.#intervals
      : [...this.#intervals, { start: this.#startedAt, end: this.#now() }];
  }

  /** Does the work, which may be a part of other such work. */
  during(work: () => void): void {
    if (this.#startedAt !== undefined) {
      work();
      return;
    }
    const start = this.#now();
    this.#startedAt = start;
    try {
      work();
    } finally {
      this.#startedAt = undefined;
      const end = this.#now();
      this.#totalMs += end - start;
      if (end - start >= MIN_MS) this.#intervals = [...this.#intervals.slice(1 - MAX_INTERVALS), { start, end }];
    }
  }
}
