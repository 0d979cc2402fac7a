/** What the questions to all threads may take together on average, as a share of a core: up to this rate, and in proportion above. */
const SHARE_OF_CORE = 0.003;
const UP_TO_PER_SECOND = 5;
/** What is not used is kept for so long, ms: short runs and the beginning of an incident are asked at the full rate. */
const KEPT_MS = 100_000;
/** Debt, ms, for each of which the rate is half as high. */
const HALVED_BY_MS = 20_000;

/**
 * Bounds what the questions for the time of the loop cost. Each of them pays for the time in which the process may spend as
 * much as it has cost. When more time is paid for than has passed, the rate falls: smoothly, so that it stays a matter of
 * the past, and never to nothing. An answer then stands for more time (`SlotTime.arrivalsPerSecond`), so that no share
 * depends on when it was asked more often.
 */
export class QuestionBudget {
  #paidUntil: number;

  /** `now` in ms. */
  constructor(now: number) {
    this.#paidUntil = now - KEPT_MS;
  }

  /** Pays for a question, which has cost so much CPU, to a thread that wants `perSecond` of them. */
  pay(costMs: number, perSecond: number, now: number): void {
    const share = SHARE_OF_CORE * Math.max(1, perSecond / UP_TO_PER_SECOND);
    this.#paidUntil = Math.max(this.#paidUntil, now - KEPT_MS) + costMs / share;
  }

  /** How often a thread is asked in a second that wants `perSecond` questions. */
  rateOf(perSecond: number, now: number): number {
    const debtMs = this.#paidUntil - now;
    return debtMs <= 0 ? perSecond : perSecond * 2 ** (-debtMs / HALVED_BY_MS);
  }
}
