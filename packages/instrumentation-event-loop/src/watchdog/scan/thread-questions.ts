import { sharedNow } from '../../contract/clock.js';
import type { ThreadTimes } from '../../contract/model.js';
import { PROBE_SYMBOL } from '../../contract/probe-answers.js';
import { Asking, Ending, Question, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import { readTogether } from '../../contract/thread-times.js';
import { RUNS_ON, TERMINATED, THREAD_GONE } from '../ask/answer.js';
import { askingOf, seemsUnanswered, type askThread } from '../ask/ask-thread.js';
import { repeatLostTermination } from '../ask/lost-limit.js';
import { tryPause } from '../ask/pauses.js';

const PROBE = `globalThis[Symbol.for(${JSON.stringify(PROBE_SYMBOL)})]`;
const SAMPLE_EXPRESSION = `${PROBE}?.()`;
const REPORT_EXPRESSION = `${PROBE}?.(true)`;

/** How long a question has waited, ms, and the block has lasted, until the other way to ask is tried: see `tryPause`. */
const TRIAL_WAIT_MS = 300;
const TRIAL_FROM_MS = 3000;
/** The same where a block before has ended without an answer from within. */
const SUSPICIOUS_TRIAL_FROM_MS = 500;
/** JavaScript reaches a message within this time, ms, and the watchdog hears of it; a native call takes longer. */
const REACHED_MS = 2;

export interface ThreadQuestionsOptions {
  readonly registry: Registry;
  readonly slot: Slot;
  readonly ask: typeof askThread;
  readonly readTimes: () => ThreadTimes | undefined;
  /** Called before the first of several equal questions: one that was not answered is asked again. */
  readonly onFirstAsked: (now: number) => void;
  /** Called with an answer of the block that began with the last `restart`, and when its question was asked. */
  readonly onAnswer: (answer: number | string, askedAt: number) => void;
  readonly onUnaskable: () => void;
}

/** The questions to one stalled thread, one at a time: whether one waits, and when it was sent. */
export class ThreadQuestions {
  readonly #options: ThreadQuestionsOptions;
  readonly #threadId: number;
  #tickAt = 0;
  #askedAt = -Infinity;
  #isAsking = false;
  /** Number of the last question: what a former one is answered with does not count. */
  #questionId = 0;
  #isTried = false;
  #sent: ReturnType<typeof readTogether> | undefined;
  #hasUnansweredQuestion = false;
  /** Number of the last question that was passed on to the thread, of those that it has not answered. */
  #reachedId = NaN;
  #isClosed = false;

  constructor(options: ThreadQuestionsOptions) {
    this.#options = options;
    this.#threadId = options.slot.getInt(SlotInt.threadId);
  }

  /** When the thread was asked last, on the shared clock. */
  get askedAt(): number {
    return this.#askedAt;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /**
   * Whether the thread can have answered: the main thread passes on what a worker thread is asked, and does not while it
   * is in a native call itself. A question that is just on its way does not deny it.
   */
  get isReached(): boolean {
    return this.#questionId - this.#reachedId < 2;
  }

  /** The thread is stalled in another iteration, which began with that tick. */
  restart(tickAt: number): void {
    this.#tickAt = tickAt;
    this.#askedAt = -Infinity;
    this.#hasUnansweredQuestion = false;
    this.#isTried = false;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether the thread has not ticked since the last `restart`. */
  get isStillStalled(): boolean {
    return this.#isStalledSince(this.#tickAt);
  }

  ask(now: number, wantsReport: boolean): void {
    const { registry, slot, ask, readTimes, onFirstAsked, onAnswer } = this.#options;
    this.#askedAt = now;
    // When a question that was not answered is asked again, the times of the first request count.
    const isFirst = !this.#hasUnansweredQuestion;
    if (isFirst) this.#reachedId = NaN;
    if (isFirst) slot.setTime(SlotTime.requestedAt, now);
    slot.setInt(SlotInt.question, Question.asked);
    // Read afterwards: who terminates the thread first says so, and then looks whether it has been asked.
    if (slot.getInt(SlotInt.ending) === Ending.terminated) {
      slot.setInt(SlotInt.question, Question.none);
      return;
    }
    if (isFirst) onFirstAsked(now);
    this.#sent = undefined;
    const id = ++this.#questionId;
    this.#isAsking = true;
    this.#hasUnansweredQuestion = true;
    const tickAt = this.#tickAt;
    ask(registry, this.#threadId, wantsReport ? REPORT_EXPRESSION : SAMPLE_EXPRESSION, {
      onSent: () => {
        if (!this.#isAsking || this.#questionId !== id || this.#isClosed) return;
        this.#reachedId = id;
        this.#sent = readTogether(sharedNow, readTimes);
        if (isFirst) this.#recordSent(this.#sent);
      },
      onReached: () => {
        if (this.#questionId === id && !this.#isClosed) this.#onReached();
      },
      onAnswer: (answer) => {
        if (this.#questionId !== id) return;
        this.#isAsking = false;
        if (this.#isClosed) return;
        if (answer === THREAD_GONE) registry.release(slot, this.#threadId);
        else if (answer === TERMINATED)
          repeatLostTermination(registry, this.#threadId, () => this.#isStalledSince(tickAt));
        else if (answer !== undefined && answer !== RUNS_ON && this.#tickAt === tickAt) {
          this.#hasUnansweredQuestion = false;
          onAnswer(answer, now);
        }
      },
    });
  }

  /**
   * Whether the other way to ask is due to be tried: no thread of the process has ever answered within a block, and this
   * one, which has been blocked for `ageMs`, does not either.
   */
  isTrialDue(ageMs: number, now: number): boolean {
    const asking = askingOf(this.#options.registry);
    if (this.#isTried || (asking !== Asking.unknown && asking !== Asking.impossible)) return false;
    if (ageMs < (seemsUnanswered() ? SUSPICIOUS_TRIAL_FROM_MS : TRIAL_FROM_MS)) return false;
    return this.#hasUnansweredQuestion && now - this.#options.slot.getTime(SlotTime.requestedAt) >= TRIAL_WAIT_MS;
  }

  tryPause(): void {
    const { registry, readTimes, onAnswer, onUnaskable } = this.#options;
    this.#isTried = true;
    const tickAt = this.#tickAt;
    const observer = {
      onSent: () => {
        this.#sent = readTogether(sharedNow, readTimes);
      },
      onReached: () => {
        this.#onReached();
      },
      onAnswer: (answer: number | string | undefined) => {
        if (askingOf(registry) !== Asking.byPause || !this.#isStalledSince(tickAt)) return;
        // The question that waits is answered when the loop iterates.
        this.#questionId++;
        this.#isAsking = false;
        if (answer === undefined || answer === RUNS_ON) return;
        this.#hasUnansweredQuestion = false;
        onAnswer(answer, this.#askedAt);
      },
    };
    tryPause(registry, this.#threadId, SAMPLE_EXPRESSION, observer, onUnaskable);
  }

  /**
   * Records when the thread could be interrupted, for the probe: a later answer was delayed by a native call, or by a
   * wait for a CPU.
   */
  #recordSent({ at, times }: ReturnType<typeof readTogether>): void {
    const { slot } = this.#options;
    slot.setTime(SlotTime.sentRunQueueMs, times?.runQueueMs ?? NaN);
    slot.setTime(SlotTime.sentAt, at);
  }

  /**
   * The thread has reached a question for which it is then stopped. Where it did so at once, the answer is not late,
   * however long that takes: it shows where the thread was when it was asked.
   */
  #onReached(): void {
    const { slot, readTimes } = this.#options;
    const { at, times } = readTogether(sharedNow, readTimes);
    const sent = this.#sent;
    if (sent) {
      const waitedMs = (times?.runQueueMs ?? 0) - (sent.times?.runQueueMs ?? 0);
      if (at - sent.at - waitedMs > REACHED_MS) return;
    }
    slot.setTime(SlotTime.requestedAt, at);
    slot.setTime(SlotTime.sentAt, 0);
  }

  #isStalledSince(tickAt: number): boolean {
    return !this.#isClosed && this.#tickAt === tickAt && this.#options.slot.getTime(SlotTime.tickAt) === tickAt;
  }
}
