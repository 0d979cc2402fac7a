/** Turns that the pace is judged by, while each of them ticks: more than a request or two have. */
const MEASURED_ITERATIONS = 128;
/** Where more turns than that go by in a millisecond, ticking in each costs more than a hundredth of a core. */
const MAX_ITERATIONS_PER_MS = 5;
/** Timed ticks that the pace is judged by, and how many of them may find a loop that has mostly been idle. */
const MEASURED_TICKS = 32;
const MAX_IDLE_TICKS = 25;

/**
 * Whether to tick in each turn of the loop, or by a timer. A tick in the check phase bounds what its turn did to the
 * microsecond, and costs two of them: Node enters JavaScript for it alone. A loop of many small turns (streams, many
 * connections) makes ten thousand a second, and would pay a twentieth of its time; there a timer of two milliseconds does.
 *
 * Runs on every tick: it allocates nothing.
 */
export class TickPace {
  #isTimed = false;
  #ticks = 0;
  #idleTicks = 0;
  /** When the turns that are judged began; when the last timed tick was. */
  #measuredSince = 0;
  /** Idle time of the loop at the last timed tick. */
  #idleTime = 0;

  /** Told of each tick, with the idle time that the loop had had by then, ms; returns whether the next is to be timed. */
  isTimedAfter(at: number, idleTime: number): boolean {
    if (this.#isTimed) this.#measureTicks(at, idleTime);
    else this.#measureIterations(at);
    this.#idleTime = idleTime;
    return this.#isTimed;
  }

  /** Starts anew, with a tick in each turn. */
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
    this.#ticks = this.#isTimed ? 0 : 1; // a turn that ticks begins the next stretch
    this.#idleTicks = 0;
  }
}
