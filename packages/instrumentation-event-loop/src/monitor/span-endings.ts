import type { SpanEnding } from '../contract/model.js';

/** Endings that are kept; further ones are not. */
const MAX_ENDINGS = 5000;

/**
 * The spans that have ended in a busy period that may become a block, or between a block and its report: the report says
 * for how long they waited.
 */
export class SpanEndings {
  #endings: SpanEnding[] = [];

  /** Adds an ending. Those before `neededSince` are dropped. */
  add(ending: SpanEnding, neededSince: number): void {
    const [oldest] = this.#endings;
    if (oldest && oldest.at < neededSince) this.dropBefore(neededSince);
    if (this.#endings.length < MAX_ENDINGS) this.#endings.push(ending);
  }

  within(start: number, end: number): readonly SpanEnding[] {
    return this.#endings.filter(({ at }) => at >= start && at <= end);
  }

  /** Drops the endings of iterations that did not become blocks, or whose blocks have been reported. */
  dropBefore(time: number): void {
    if (this.#endings.length > 0) this.#endings = this.#endings.filter(({ at }) => at >= time);
  }
}
