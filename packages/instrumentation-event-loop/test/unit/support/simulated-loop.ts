import type { Clock } from '../../../src/contract/clock.js';

/** The clocks of a thread, moved by the test: `run` is busy time, `idle` is time in the poll phase. */
export class SimulatedLoop implements Clock {
  #now: number;
  #idleTime: number;

  constructor(now = 1000, idleTime = 400) {
    this.#now = now;
    this.#idleTime = idleTime;
  }

  readonly now = (): number => this.#now;
  readonly idleTime = (): number => this.#idleTime;

  run(ms: number): void {
    this.#now += ms;
  }

  idle(ms: number): void {
    this.#now += ms;
    this.#idleTime += ms;
  }
}
