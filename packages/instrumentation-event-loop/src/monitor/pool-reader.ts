import { PoolField, WAIT_RING_LENGTH, type PoolReadings, type PoolWait } from '../contract/thread-pool-data.js';

/** Reads the memory that the watchdog writes. A ring that was full has lost its oldest waits. */
export class PoolReader {
  readonly #fields: Float64Array;
  #readWaits = 0;
  #looks = 0;
  #busyShares = 0;

  constructor(buffer: SharedArrayBuffer) {
    this.#fields = new Float64Array(buffer);
  }

  /** What is new since the last call; undefined where nothing is. */
  take(): PoolReadings | undefined {
    const written = this.#fields[PoolField.writtenWaits]!;
    const looks = this.#fields[PoolField.looks]!;
    if (written === this.#readWaits && looks === this.#looks) return undefined;
    const waits: PoolWait[] = [];
    for (let n = Math.max(this.#readWaits, written - WAIT_RING_LENGTH); n < written; n++) {
      const index = PoolField.firstWait + (n % WAIT_RING_LENGTH) * 2;
      waits.push({ waitMs: this.#fields[index]!, lane: this.#fields[index + 1] === 1 ? 'slow_io' : 'any' });
    }
    const shares = this.#fields[PoolField.busyShares]!;
    const busyShare = looks > this.#looks ? (shares - this.#busyShares) / (looks - this.#looks) : undefined;
    this.#readWaits = written;
    this.#looks = looks;
    this.#busyShares = shares;
    return { waits, busyShare };
  }
}
