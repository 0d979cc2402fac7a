import { performance } from 'node:perf_hooks';

/** What a connection and a decompressor take before the first byte. */
const OPEN_BYTES = 64 * 1024;
/** A younger body has no rate yet. */
const MIN_AGE_MS = 1_000;

/** A body that is being received, or waits to be decoded. */
export interface OpenBody {
  /** Notes that more of it is in memory. Another body, or this one, may have to give up its place. */
  take(bytes: number): void;
  /** All of it has been received: it does not have to give up its place any more. */
  complete(): void;
  close(): void;
}

interface Entry {
  bytes: number;
  isComplete: boolean;
  readonly sinceMs: number;
  readonly giveUp: () => void;
}

/**
 * The memory of all bodies that are being received. It follows what has arrived, not what was announced. When there is no
 * more, the slowest sender gives up its place: it may never end, and others would wait for it.
 */
export class BodyMemory {
  #bytes = 0;
  readonly #entries = new Set<Entry>();
  readonly #maxBytes: number;
  readonly #now: () => number;

  constructor(maxBytes: number, now = (): number => performance.now()) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `giveUp` is called when the body has lost its place. */
  open(giveUp: () => void): OpenBody {
    const entry: Entry = { bytes: 0, isComplete: false, sinceMs: this.#now(), giveUp };
    this.#entries.add(entry);
    const body: OpenBody = {
      take: (bytes) => {
        if (!this.#entries.has(entry)) return;
        entry.bytes += bytes;
        this.#bytes += bytes;
        this.#makeRoom(entry);
      },
      complete: () => {
        entry.isComplete = true;
      },
      close: () => {
        this.#remove(entry);
      },
    };
    body.take(OPEN_BYTES);
    return body;
  }

  #makeRoom(asking: Entry): void {
    while (this.#bytes > this.#maxBytes) {
      const slowest = this.#slowest() ?? asking;
      this.#remove(slowest);
      slowest.giveUp();
      if (slowest === asking) return;
    }
  }

  #slowest(): Entry | undefined {
    const nowMs = this.#now();
    let slowest: Entry | undefined;
    let leastRate = Infinity;
    for (const entry of this.#entries) {
      const ageMs = nowMs - entry.sinceMs;
      if (entry.isComplete || ageMs < MIN_AGE_MS) continue;
      const rate = entry.bytes / ageMs;
      if (rate < leastRate) [slowest, leastRate] = [entry, rate];
    }
    return slowest;
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.bytes;
  }
}
