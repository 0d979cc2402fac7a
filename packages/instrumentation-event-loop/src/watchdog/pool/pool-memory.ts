import { PoolField, WAIT_RING_LENGTH, type PoolWait } from '../../contract/thread-pool-data.js';

/** Writes what the watchdog measures into the memory that it shares with the thread that has started it. */
export class PoolMemory {
  readonly #fields: Float64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#fields = new Float64Array(buffer);
  }

  addBusyShare(share: number): void {
    this.#fields[PoolField.busyShares]! += share;
    this.#fields[PoolField.looks]! += 1;
  }

  addWait({ waitMs, lane }: PoolWait): void {
    const written = this.#fields[PoolField.writtenWaits]!;
    const index = PoolField.firstWait + (written % WAIT_RING_LENGTH) * 2;
    this.#fields[index] = waitMs;
    this.#fields[index + 1] = lane === 'slow_io' ? 1 : 0;
    this.#fields[PoolField.writtenWaits] = written + 1;
  }
}
