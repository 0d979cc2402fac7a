import type { Sample } from '../contract/model.js';

/**
 * The samples of blocks that are not reported yet, oldest first. When the buffer is full, every second sample of the
 * older half is dropped. The weight of a sample is the time until its neighbours, so the profile keeps its proportions.
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

  /** Returns the samples from `start` on and keeps them. */
  since(start: number): readonly Sample[] {
    return this.#samples.filter((sample) => sample.takenAt >= start);
  }

  /** Returns the samples from `start` to `end`, and removes them and all older ones. */
  take(start: number, end: number): Sample[] {
    const taken = this.#samples.filter((sample) => sample.takenAt >= start && sample.takenAt <= end);
    this.#samples = this.#samples.filter((sample) => sample.takenAt > end);
    return taken;
  }

  /** Drops samples of iterations that were suspected but did not become blocks. */
  dropBefore(time: number): void {
    if (this.#samples.length > 0) this.#samples = this.#samples.filter((sample) => sample.takenAt >= time);
  }
}
