/** Culprits that are kept. The least recently seen is evicted first; after that it counts as new. */
const MAX_CULPRITS = 1000;
const MINUTE_MS = 60_000;

interface Account {
  /** When spans of this culprit were admitted within the last minute, oldest first. */
  admittedAt: number[];
  seenAt: number;
  suppressed: number;
}

export interface Decision {
  readonly isAdmitted: boolean;
  /** Blocks of this culprit that got no span since its last one. */
  readonly suppressedCount: number;
}

/**
 * Limits the number of spans in any 60 s and shares them evenly among the culprits of that time. The first span of a
 * culprit is always admitted, even beyond the budget, so that a frequent culprit hides no other.
 */
export class SpanBudget {
  readonly #spansPerMinute: number;
  readonly #accounts = new Map<string, Account>();

  constructor(spansPerMinute: number) {
    this.#spansPerMinute = spansPerMinute;
  }

  /** Asks for a span of the culprit at `nowMs` on a monotonic clock. */
  ask(culprit: string, nowMs: number): Decision {
    const existing = this.#accounts.get(culprit);
    const account = existing ?? { admittedAt: [], seenAt: nowMs, suppressed: 0 };
    this.#accounts.delete(culprit);
    this.#accounts.set(culprit, account); // moves it to the end of the map: the least recently seen is first
    account.seenAt = nowMs;
    if (this.#accounts.size > MAX_CULPRITS) this.#forgetOldest();

    const { active, spent } = this.#usageSince(nowMs - MINUTE_MS);
    const isWithinBudget = spent < this.#spansPerMinute && account.admittedAt.length < this.#spansPerMinute / active;
    if (existing && !isWithinBudget) {
      account.suppressed++;
      return { isAdmitted: false, suppressedCount: account.suppressed };
    }
    const suppressedCount = account.suppressed;
    account.suppressed = 0;
    account.admittedAt.push(nowMs);
    return { isAdmitted: true, suppressedCount };
  }

  /** Counts the culprits seen and the spans admitted after `since`; drops older spans. */
  #usageSince(since: number): { active: number; spent: number } {
    let active = 0;
    let spent = 0;
    for (const account of this.#accounts.values()) {
      if (account.admittedAt.some((at) => at <= since)) {
        account.admittedAt = account.admittedAt.filter((at) => at > since);
      }
      if (account.seenAt > since) active++;
      spent += account.admittedAt.length;
    }
    return { active, spent };
  }

  #forgetOldest(): void {
    const oldest = this.#accounts.keys().next();
    if (!oldest.done) this.#accounts.delete(oldest.value);
  }
}
