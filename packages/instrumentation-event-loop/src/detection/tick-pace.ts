/** Iterations per measurement while each of them ticks: more than one or two requests cause. */
const MEASURED_ITERATIONS = 128;
/** Above this, a tick in each iteration costs more than 1 % of a core. */
const MAX_ITERATIONS_PER_MS = 5;
/** Timed ticks per measurement; if more than `MAX_IDLE_TICKS` find a mostly idle loop, each iteration ticks again. */
const MEASURED_TICKS = 32;
const MAX_IDLE_TICKS = 25;

/**
 * Decides whether to tick in each iteration of the loop or by a timer. A tick in the check phase bounds its iteration
 * to the microsecond, but costs two microseconds, because Node enters JavaScript for it alone. That is too much for a
 * loop with many short iterations (streams, many connections): of a piped download with 37 iterations, ticks took 80 of
 * 2,000 µs. Such a loop ticks by a timer of 2 ms.
 *
 * Runs at every tick, so it allocates nothing.
 */
export class TickPace {
  #isTimed = false;
  #ticks = 0;
  #idleTicks = 0;
  /** When the measured iterations began; with timed ticks, when the last one was. */
  #measuredSince = 0;
  /** Idle time of the loop at the last tick, ms. */
  #idleTime = 0;

  /** Called at each tick, with its time and the loop's idle time, ms; returns whether the next tick is timed. */
  isTimedAfter(at: number, idleTime: number): boolean {
    if (this.#isTimed) this.#measureTicks(at, idleTime);
    else this.#measureIterations(at);
    this.#idleTime = idleTime;
    return this.#isTimed;
  }

  /** Starts again with a tick in each iteration. */
  reset(): void {
    this.#isTimed = false;
    this.#ticks = 0;
  }

  #measureIterations(at: number): void {
    if (this.#ticks === 0) this.#measuredSince = at;
    if (this.#ticks++ < MEASURED_ITERATIONS) return;
    this.#isTimed = (at - this.#measuredSince) * MAX_ITERATIONS_PER_MS < MEASURED_ITERATIONS;
    this.#beginMeasurement(at);
  }

  #measureTicks(at: number, idleTime: number): void {
    if (idleTime - this.#idleTime > (at - this.#measuredSince) / 2) this.#idleTicks++;
    this.#measuredSince = at;
    if (++this.#ticks < MEASURED_TICKS) return;
    this.#isTimed = this.#idleTicks <= MAX_IDLE_TICKS;
    this.#beginMeasurement(at);
  }

  #beginMeasurement(at: number): void {
    this.#measuredSince = at;
    this.#ticks = this.#isTimed ? 0 : 1; // a tick in an iteration begins the next measurement
    this.#idleTicks = 0;
  }
}
