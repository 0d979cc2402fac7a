import { OTHER_CULPRITS } from '../semconv.js';

/** Culprits that have a series of their own at the same time. */
const MAX_SERIES = 20;
/** The SDK never removes a series, so at most this many times `maxSeries` culprits ever get one. */
const MAX_NAMED_FACTOR = 5;

/**
 * Bounds the number of culprits on metrics: the busiest keep their names, all others are recorded as `other`. A culprit
 * that overtakes the least busy one takes its place. The totals of both are kept, so that the two do not alternate with
 * every block.
 */
export class BusiestCulprits {
  readonly #maxSeries: number;
  readonly #everNamed = new Set<string>();
  readonly #named = new Map<string, number>();
  readonly #others = new Map<string, number>();

  constructor(maxSeries = MAX_SERIES) {
    this.#maxSeries = maxSeries;
  }

  /** Records a block of the culprit; returns the name to record it with on the metric. */
  nameFor(culprit: string, durationMs: number): string {
    const named = this.#named.get(culprit);
    if (named !== undefined || this.#named.size < this.#maxSeries) {
      this.#named.set(culprit, (named ?? 0) + durationMs);
      this.#everNamed.add(culprit);
      return culprit;
    }
    const total = (this.#others.get(culprit) ?? 0) + durationMs;
    const [leastBusy, leastMs] = [...this.#named].reduce((a, b) => (b[1] < a[1] ? b : a));
    const mayBeNamed = this.#everNamed.has(culprit) || this.#everNamed.size < this.#maxSeries * MAX_NAMED_FACTOR;
    if (total <= leastMs || !mayBeNamed) {
      this.#others.delete(culprit);
      this.#others.set(culprit, total);
      this.#evictOldest();
      return OTHER_CULPRITS;
    }
    this.#others.delete(culprit);
    this.#named.delete(leastBusy);
    this.#others.set(leastBusy, leastMs);
    this.#named.set(culprit, total);
    this.#everNamed.add(culprit);
    this.#evictOldest();
    return culprit;
  }

  #evictOldest(): void {
    if (this.#others.size <= this.#maxSeries * 10) return;
    const oldest = this.#others.keys().next();
    if (!oldest.done) this.#others.delete(oldest.value);
  }
}
