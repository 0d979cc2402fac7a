/** Until it is measured, and where it cannot be: CPU of the watchdog's thread for a question, ms. */
const WATCHDOG_MS = 0.6;
/**
 * How often the watchdog's part counts. As much again is taken from the asked thread before and after its answer, and cannot
 * be measured: the inspector's session, the caches, and what is made of the answer.
 */
const PARTS = 2;
/** A question that waits for longer, ms, is the usual one: meanwhile, the watchdog has sampled a block. */
const LONG_WAIT_MS = 50;
/** The kernel's account of a thread that is on the CPU ends where it got there: it is read when this thread has slept since, ms. */
const SETTLED_AFTER_MS = 5;
const SMOOTHING = 1 / 8;

/** What the questions for the time of the loop cost, ms of CPU of both threads. */
export class QuestionCost {
  readonly #readCpuMs: () => number | undefined;
  #usualMs = WATCHDOG_MS;
  /** Account of this thread when the first question was put that is not charged yet. */
  #startMs: number | undefined;
  #open = 0;
  #answered = 0;
  #answersMs = 0;
  #hasWaited = false;
  #answeredAt = 0;

  /** `readCpuMs` is the CPU time of this thread; undefined where the system does not show it. */
  constructor(readCpuMs: () => number | undefined) {
    this.#readCpuMs = readCpuMs;
  }

  onAsked(): void {
    if (this.#open++ + this.#answered === 0) this.#startMs = this.#readCpuMs();
  }

  /** The question has waited for `waitedMs`, and the thread has worked on its answer for `answerMs`. */
  onAnswered(waitedMs: number, answerMs: number, now: number): void {
    this.#open--;
    this.#answered++;
    this.#answersMs += answerMs;
    this.#answeredAt = now;
    this.#hasWaited ||= waitedMs > LONG_WAIT_MS;
  }

  /** What the questions have cost that have been answered since the last charge; 0 while that is not known yet. */
  take(now: number): number {
    const count = this.#answered;
    if (count === 0 || (this.#open === 0 && now - this.#answeredAt < SETTLED_AFTER_MS)) return 0;
    const cpuMs = this.#readCpuMs();
    const measuredMs = cpuMs === undefined || this.#startMs === undefined ? undefined : cpuMs - this.#startMs;
    if (measuredMs !== undefined && !this.#hasWaited)
      this.#usualMs += Math.min(1, count * SMOOTHING) * (measuredMs / count - this.#usualMs);
    const costMs =
      PARTS * (measuredMs === undefined || this.#hasWaited ? count * this.#usualMs : measuredMs) + this.#answersMs;
    this.#startMs = cpuMs;
    this.#answered = 0;
    this.#answersMs = 0;
    this.#hasWaited = false;
    return costMs;
  }
}
