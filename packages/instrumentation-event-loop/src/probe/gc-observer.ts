import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { guarded } from '../contract/guard.js';
import type { Interval } from '../contract/interval.js';
import type { GcPauses } from '../contract/model.js';
import { mainGlobal } from './main-global.js';

/** Pauses that are kept. With more of them, the cause of a block is already certain. */
export const MAX_PAUSES = 4096;

/** Node.js iterates by these over its observers and their entries. */
const iterators = iteratorsOfApplication();
const originals = iterators.map(({ object, key }) => Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown);

function iteratorsOfApplication(): { readonly object: object; readonly key: string | symbol }[] {
  const { Array, Set, Map } = mainGlobal() as typeof globalThis;
  const { iterator } = Symbol;
  const next = (iterable: object): object =>
    Reflect.getPrototypeOf((iterable as Record<symbol, () => object>)[iterator]!())!;
  return [
    ...[Array, Set, Map].map(({ prototype }) => ({ object: prototype as object, key: iterator })),
    ...[new Array<unknown>(), new Set(), new Map()].map((empty) => ({ object: next(empty), key: 'next' })),
  ];
}

function hasReplacedIterators(): boolean {
  return iterators.some(({ object, key }, i) => Reflect.getOwnPropertyDescriptor(object, key)?.value !== originals[i]);
}

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
    this.#observer = new PerformanceObserver(
      guarded((list: { getEntries(): readonly PerformanceEntry[] }) => {
        this.#keep(list.getEntries());
      }),
    );
  }

  get isArmed(): boolean {
    return this.#armedAt !== undefined;
  }

  /**
   * Starts to observe. The probe calls it inside the blocked code. Node.js iterates over its entries by the iterator of
   * arrays as it finds it, in a callback of its own: an iterator of the application that throws would end the process.
   */
  arm(): void {
    if (this.#armedAt !== undefined || hasReplacedIterators()) return;
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
    for (let i = 0; i < entries.length; i++) {
      const { startTime, duration } = entries[i]!;
      if (this.#pauses.length < MAX_PAUSES) this.#pauses.push({ start: startTime, end: startTime + duration });
    }
  }
}
