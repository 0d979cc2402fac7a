import { OTHER_CULPRITS } from '../semconv.js';
import type { NamedCount } from './named-window.js';

/** Pairs of request and function, and requests, that have a series of their own. */
const MAX_SERIES = 20;
/** A pair or request gets one when it has this part of the busy time, and keeps it: the SDK never removes a series. */
const MIN_SHARE = 0.02;
/** And when it was found this often: of fifty answers of the first ten seconds, each has 2 %. */
const MIN_ANSWERS = 5;
/** Of all others, so many are remembered. */
const MAX_CANDIDATES = 400;

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
  namesFor({ served: request, culprit, answers }: NamedCount, ms: number): SeriesNames {
    const functionName = culprit?.functionName;
    const isPair = this.#pairs.add(JSON.stringify([request, functionName]), ms, answers);
    const isRequest = this.#requests.add(request ?? '', ms, answers);
    if (isPair) return { request, functionName };
    return {
      request: isRequest ? request : OTHER_CULPRITS,
      functionName: this.#hasFunctions ? OTHER_CULPRITS : undefined,
    };
  }
}

class Busiest {
  readonly #named = new Set<string>();
  readonly #candidates = new Map<string, { readonly ms: number; readonly answers: number }>();
  #totalMs = 0;

  /** Adds time; returns whether the key has a series of its own. */
  add(key: string, ms: number, answers: number): boolean {
    this.#totalMs += ms;
    if (this.#named.has(key)) return true;
    const known = this.#candidates.get(key);
    const candidate = { ms: ms + (known?.ms ?? 0), answers: answers + (known?.answers ?? 0) };
    this.#candidates.delete(key);
    const isBusy = candidate.ms >= this.#totalMs * MIN_SHARE && candidate.answers >= MIN_ANSWERS;
    if (this.#named.size < MAX_SERIES && isBusy) {
      this.#named.add(key);
      return true;
    }
    this.#candidates.set(key, candidate);
    if (this.#candidates.size > MAX_CANDIDATES) {
      const oldest = this.#candidates.keys().next();
      if (!oldest.done) this.#candidates.delete(oldest.value);
    }
    return false;
  }
}
