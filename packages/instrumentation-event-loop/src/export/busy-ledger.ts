import type { NamedCount, NamedWindow } from './named-window.js';

/** Busy time is divided after this time, ms: a second has five answers or none. */
const DIVIDE_AFTER_MS = 10_000;
/** Busy time for which there is no answer is kept this long, ms, and then belongs to no request and no function. */
const KEEP_MS = 60_000;

/** A part of a thread's busy time. */
export interface BusyPart {
  /** Undefined: the time had no answer. */
  readonly count: NamedCount | undefined;
  readonly ms: number;
}

/**
 * Divides the exact busy time of one thread by its answers. The time of a window without answers stays until others come,
 * so that none is lost, and what happened to run next does not get all of it.
 */
export class BusyLedger {
  #since: number | undefined;
  #busyMs = 0;
  #counts: NamedCount[] = [];

  /** Adds a window; returns the parts that are divided now. */
  add({ start, end, busyMs, counts }: NamedWindow): BusyPart[] {
    this.#since ??= start;
    this.#busyMs += busyMs;
    this.#counts.push(...counts);
    const ageMs = end - this.#since;
    const isDue = this.#counts.length > 0 ? ageMs >= DIVIDE_AFTER_MS : ageMs >= KEEP_MS;
    return isDue ? this.settle() : [];
  }

  /** Divides what there is now. */
  settle(): BusyPart[] {
    const parts = divide(this.#busyMs, this.#counts);
    this.#since = undefined;
    this.#busyMs = 0;
    this.#counts = [];
    return parts;
  }
}

/** Divides the time by the answers. */
export function divide(busyMs: number, counts: readonly NamedCount[]): BusyPart[] {
  const total = counts.reduce((sum, { weightMs }) => sum + weightMs, 0);
  if (total === 0) return busyMs > 0 ? [{ count: undefined, ms: busyMs }] : [];
  return counts.map((count) => ({ count, ms: (busyMs * count.weightMs) / total }));
}
