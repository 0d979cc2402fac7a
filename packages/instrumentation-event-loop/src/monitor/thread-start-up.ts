import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import type { Clock } from '../contract/clock.js';
import { isMainModuleLoaded } from '../detection/entry-point.js';

/** The start-up of this thread: whether it is over, and how long it took. */
export class ThreadStartUp {
  readonly #clock: Clock;
  #isOver = false;
  /** It has not been taken yet, and can be measured: this package was loaded before the application's entry point. */
  #isMeasured = !isMainModuleLoaded() && (!isMainThread || performance.nodeTiming.loopStart < 0);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  /**
   * Its length up to that moment, since which the thread has not been idle, without idle time; undefined where it is not
   * known, and at each further call.
   */
  takeDurationMs(endedAt = this.#clock.now()): number | undefined {
    if (!this.#isMeasured) return undefined;
    this.#isMeasured = false;
    // The clock of a worker begins with its process.
    const startedAt = isMainThread ? 0 : performance.nodeTiming.environment;
    return endedAt - startedAt - this.#clock.idleTime();
  }
}

/** CPU time of a start-up, ms, beside which that of the watchdog is small. */
const LONG_START_UP_CPU_MS = 250;

/**
 * Whether the start-up has taken so long that a watchdog costs little beside it. Such a program may go on in promise jobs,
 * which are no active resource: a bundler, a test runner, an asynchronous \`main\`.
 */
export function hasLongStartUp(): boolean {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 >= LONG_START_UP_CPU_MS;
}
