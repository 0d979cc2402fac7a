import type { NamedCount } from './named-window.js';

/** Pairs of request and function, and requests, that have a series of their own. */
const MAX_SERIES = 20;
/** A pair or request gets one when it has this part of the busy time, and keeps it: the SDK never removes a series. */
const MIN_SHARE = 0.02;
/** Of all others, so many are remembered. */
const MAX_CANDIDATES = 400;

/** What has no series of its own. */
export const OTHER = 'other';

export interface SeriesNames {
  readonly request: string | undefined;
  readonly functionName: string | undefined;
}

/**
 * Bounds the series of one thread name: 20 pairs of request and function, 20 requests for the time of other functions, and
 * one for the rest.
 */
export class BusySeries {
  readonly #pairs = new Busiest();
  readonly #requests = new Busiest();
  readonly #hasFunctions: boolean;

  /** Without functions, as with `captureStacks: false`, no series says anything of one. */
  constructor(hasFunctions: boolean) {
    this.#hasFunctions = hasFunctions;
  }

  /** Adds the time of a pair; returns the names to record it with. */
  namesFor({ served: request, culprit }: Pick<NamedCount, 'served' | 'culprit'>, ms: number): SeriesNames {
    const functionName = culprit?.functionName;
    const isPair = this.#pairs.add(JSON.stringify([request, functionName]), ms);
    const isRequest = this.#requests.add(request ?? '', ms);
    if (isPair) return { request, functionName };
    return { request: isRequest ? request : OTHER, functionName: this.#hasFunctions ? OTHER : undefined };
  }
}

class Busiest {
  readonly #named = new Set<string>();
  readonly #candidates = new Map<string, number>();
  #totalMs = 0;

  /** Adds time; returns whether the key has a series of its own. */
  add(key: string, ms: number): boolean {
    this.#totalMs += ms;
    if (this.#named.has(key)) return true;
    const keyMs = (this.#candidates.get(key) ?? 0) + ms;
    this.#candidates.delete(key);
    if (this.#named.size < MAX_SERIES && keyMs >= this.#totalMs * MIN_SHARE) {
      this.#named.add(key);
      return true;
    }
    this.#candidates.set(key, keyMs);
    if (this.#candidates.size > MAX_CANDIDATES) {
      const oldest = this.#candidates.keys().next();
      if (!oldest.done) this.#candidates.delete(oldest.value);
    }
    return false;
  }
}
