/** More time without a look, ms, is no time in which the thread could have been seen. */
const MAX_GAP_MS = 10_000;

/**
 * Random moments, independent of each other and of what the thread does then. Their rate may change at each look: it holds
 * from that look to the next one.
 */
export class PoissonArrivals {
  readonly #random: () => number;
  /** Arrivals that are expected until the next one comes: with a mean of one, at any rate. Undefined: not begun. */
  #ahead: number | undefined;
  #at: number;
  #perSecond = 0;

  /** `now` in ms. */
  constructor(now: number, random: () => number) {
    this.#random = random;
    this.#at = now;
  }

  /** When the next one comes if the rate stays. */
  get nextAt(): number {
    return this.#ahead === undefined ? this.#at : this.#at + (this.#ahead * 1000) / this.#perSecond;
  }

  /** The rate at which those came that `take` has returned, in a second. */
  takenPerSecond = 0;

  /** How many have come since the last call; from now on, `perSecond` of them come in a second on average. */
  take(now: number, perSecond: number): number {
    const elapsedMs = now - this.#at;
    this.takenPerSecond = this.#perSecond;
    if (elapsedMs > MAX_GAP_MS) this.#ahead = undefined;
    let count = 0;
    if (this.#ahead === undefined) this.#ahead = this.#interval();
    else {
      this.#ahead -= (elapsedMs * this.#perSecond) / 1000;
      for (; this.#ahead <= 0; this.#ahead += this.#interval()) count++;
    }
    this.#at = now;
    this.#perSecond = perSecond;
    return count;
  }

  /** Begins again at the next call: what has come since the last one does not count. */
  restart(): void {
    this.#ahead = undefined;
  }

  #interval(): number {
    return -Math.log(1 - this.#random());
  }
}
