/** More time without a look, ms, is no time in which the thread could have been seen. */
const MAX_GAP_MS = 10_000;

/** Random moments, independent of each other and of what the thread does: none is more likely than any other. */
export class PoissonArrivals {
  readonly #random: () => number;
  #nextAt: number | undefined;
  #at: number;
  #perSecond = 0;

  /** `now` in ms. */
  constructor(now: number, random: () => number) {
    this.#random = random;
    this.#at = now;
  }

  /** When the next one comes. */
  get nextAt(): number {
    return this.#nextAt ?? this.#at;
  }

  /** How many have come since the last call, with `perSecond` of them in a second on average. */
  take(now: number, perSecond: number): number {
    // The process has no memory: after a change, beginning again is the same as going on.
    if (perSecond !== this.#perSecond || now - this.#at > MAX_GAP_MS) this.#nextAt = undefined;
    this.#perSecond = perSecond;
    this.#at = now;
    let next = (this.#nextAt ??= now + this.#interval());
    let count = 0;
    for (; next <= now; next += this.#interval()) count++;
    this.#nextAt = next;
    return count;
  }

  /** Begins again at the next call: what has come since the last one does not count. */
  restart(): void {
    this.#nextAt = undefined;
  }

  #interval(): number {
    return (-Math.log(1 - this.#random()) * 1000) / this.#perSecond;
  }
}
