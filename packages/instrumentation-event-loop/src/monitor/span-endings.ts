import type { SpanEnding } from '../contract/model.js';

/** Endings that are kept of one busy period; further ones are not. */
const MAX_ENDINGS = 1000;

/** The spans that ended in the current busy period, until that period is recorded. */
export class SpanEndings {
  #endings: SpanEnding[] = [];

  /** Adds an ending in the busy period that began at `periodStart`. Endings of earlier iterations are dropped. */
  add(ending: SpanEnding, periodStart: number): void {
    const [oldest] = this.#endings;
    if (oldest && oldest.at < periodStart) this.#endings = this.#endings.filter(({ at }) => at >= periodStart);
    if (this.#endings.length < MAX_ENDINGS) this.#endings.push(ending);
  }

  /** Returns the endings from `start` to `end` and keeps them. */
  within(start: number, end: number): readonly SpanEnding[] {
    return this.#endings.filter(({ at }) => at >= start && at <= end);
  }

  /** Returns the endings from `start` to `end`, and removes them and all older ones. */
  take(start: number, end: number): readonly SpanEnding[] {
    const taken = this.within(start, end);
    this.#endings = this.#endings.filter(({ at }) => at > end);
    return taken;
  }

  /** Drops the endings of iterations that did not become blocks. */
  dropBefore(time: number): void {
    if (this.#endings.length > 0) this.#endings = this.#endings.filter(({ at }) => at >= time);
  }
}
