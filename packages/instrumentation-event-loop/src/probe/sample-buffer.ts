import type { Sample } from '../contract/model.js';

/**
 * The samples of the blocks that are not told yet, oldest first, bounded: when full, every second one of the older half
 * goes. Samples weigh what time they stand for, so a thinned profile keeps its proportions.
 */
export class SampleBuffer {
  readonly #capacity: number;
  #samples: Sample[] = [];

  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#samples.length;
  }

  add(sample: Sample): void {
    this.#samples[this.#samples.length] = sample;
    if (this.#samples.length <= this.#capacity) return;
    const half = this.#samples.length >> 1;
    this.#samples = this.#samples.filter((_, i) => i >= half || i % 2 === 0);
  }

  /** The samples from `start` on, which stay. */
  since(start: number): readonly Sample[] {
    return this.#samples.filter((sample) => sample.takenAt >= start);
  }

  /** Hands out the samples taken within the stretch, and forgets them and all older ones. */
  take(start: number, end: number): Sample[] {
    const taken = this.#samples.filter((sample) => sample.takenAt >= start && sample.takenAt <= end);
    this.#samples = this.#samples.filter((sample) => sample.takenAt > end);
    return taken;
  }

  /** Forgets what was sampled of turns that turned out to be no blocks. */
  dropBefore(time: number): void {
    if (this.#samples.length > 0) this.#samples = this.#samples.filter((sample) => sample.takenAt >= time);
  }
}
