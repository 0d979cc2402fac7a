import { sharedNow } from '../../contract/clock.js';
import { BUSY_QUESTION, PROBE_SYMBOL } from '../../contract/probe-answers.js';
import { IdleMode, Question, Sleep, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import { openSchedstat, readTogether, type ThreadTimesReader } from '../../contract/thread-times.js';
import { TERMINATED, THREAD_GONE, type Answer } from '../ask/answer.js';
import { askThread } from '../ask/ask-thread.js';
import { repeatLostTermination } from '../ask/lost-limit.js';
import type { Phase } from '../scan/phase.js';
import { PoissonArrivals } from './poisson-arrivals.js';
import { QuestionBudget } from './question-budget.js';
import { QuestionCost } from './question-cost.js';

const EXPRESSION = `globalThis[Symbol.for(${JSON.stringify(PROBE_SYMBOL)})]?.(${JSON.stringify(BUSY_QUESTION)})`;

export interface BusySamplerOptions {
  readonly registry: Registry;
  /** Whether the thread is outside of its poll phase; undefined where the system does not show it. */
  readonly isBusy: (slot: Slot) => boolean | undefined;
  /** CPU time of this thread, ms; undefined where the system does not show it. */
  readonly ownCpuMs: () => number | undefined;
  readonly ask?: typeof askThread;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** A thread that is blocked, and whether it is being asked for a sample of its block. */
export interface Stall {
  readonly phase: Phase;
  readonly isAsking: boolean;
}

/**
 * Asks busy threads at random what they do: their answers divide the time of the loop. The arrivals do not depend on the
 * answers. Those that come while a question waits are counted in the thread's slot, and the next answer takes them all,
 * also a sample of a block. So a native call of 300 ms counts for 300 ms, although it is answered once. `QuestionBudget`
 * says how often all threads together may be asked.
 */
export class BusySampler {
  readonly #registry: Registry;
  readonly #isBusy: BusySamplerOptions['isBusy'];
  readonly #ask: typeof askThread;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #threads = new Map<number, AskedThread>();
  readonly #budget: QuestionBudget;
  readonly #cost: QuestionCost;

  constructor(options: BusySamplerOptions) {
    const { registry, isBusy, ownCpuMs, ask = askThread, now = sharedNow, random = Math.random } = options;
    this.#registry = registry;
    this.#isBusy = isBusy;
    this.#ask = ask;
    this.#now = now;
    this.#random = random;
    this.#budget = new QuestionBudget(now());
    this.#cost = new QuestionCost(ownCpuMs);
  }

  /**
   * Looks at a thread whose loop has last ticked at `tickAt`; `stall` says what it does where it is late. Asks it where an
   * arrival finds it busy. Returns when to look again; never early for an idle thread, whose arrivals wait until the
   * watchdog wakes anyway.
   */
  look(slot: Slot, tickAt: number, now: number, stall: Stall | undefined): number {
    const perSecond = slot.getTime(SlotTime.busySamplesPerSecond);
    if (!(perSecond > 0)) {
      this.#threads.get(slot.index)?.arrivals.restart();
      return Infinity;
    }
    const thread = this.#threadOf(slot, now);
    this.#budget.pay(this.#cost.take(now), perSecond, now);
    const count = thread.arrivals.take(now, this.#budget.rateOf(perSecond, now));
    if (count > 0 && this.#isFoundBusy(slot, stall)) this.#arrive(thread, slot, tickAt, now, count, stall);
    return slot.getInt(SlotInt.idleMode) === IdleMode.none || stall ? thread.arrivals.nextAt : Infinity;
  }

  /** The process was suspended: no thread was busy meanwhile. */
  excludeSuspension(): void {
    for (const { arrivals } of this.#threads.values()) arrivals.restart();
  }

  /** Forgets the threads that have ended. */
  forget(isGone: (slotIndex: number, generation: number) => boolean): void {
    for (const [index, thread] of this.#threads) {
      if (!isGone(index, thread.generation)) continue;
      thread.close();
      this.#threads.delete(index);
    }
  }

  #isFoundBusy(slot: Slot, stall: Stall | undefined): boolean {
    // A pool worker that sleeps between two tasks is not to be woken, and is not busy by its loop's clock either.
    if (slot.getInt(SlotInt.sleep) === Sleep.asleep) return false;
    if (stall) return stall.phase === 'busy';
    const isBusy = this.#isBusy(slot);
    if (isBusy !== undefined) return isBusy;
    slot.setInt(SlotInt.pollDescriptor, -1); // the probe then leaves out answers that may be those of an idle loop
    // Only a quiet loop is known to be idle. One that is not quiet may be asked in its poll phase.
    return slot.getInt(SlotInt.idleMode) === IdleMode.none;
  }

  #arrive(thread: AskedThread, slot: Slot, tickAt: number, now: number, count: number, stall: Stall | undefined): void {
    slot.setTime(SlotTime.arrivalsPerSecond, thread.arrivals.takenPerSecond);
    const waiting = slot.addInt(SlotInt.arrivals, count);
    if (thread.isAsking || stall?.isAsking) return;
    const isFirst = waiting === 0;
    if (isFirst) slot.setTime(SlotTime.busyRequestedAt, now);
    if (slot.getInt(SlotInt.threadId) !== 0) slot.setInt(SlotInt.question, Question.asked);
    thread.isAsking = true;
    slot.setTime(SlotTime.busyAnswerMs, 0);
    this.#cost.onAsked();
    const threadId = slot.getInt(SlotInt.threadId);
    this.#ask(this.#registry, threadId, EXPRESSION, {
      onSent: () => {
        if (isFirst && thread.isAsking && slot.isLive(thread.generation)) this.#recordSent(thread, slot);
      },
      onAnswer: (answer) => {
        thread.isAsking = false;
        const answeredAt = this.#now();
        this.#cost.onAnswered(answeredAt - now, slot.getTime(SlotTime.busyAnswerMs), answeredAt);
        if (slot.isLive(thread.generation)) this.#onAnswer(answer, slot, threadId, tickAt);
      },
    });
  }

  /** Records when the thread could be interrupted, for the probe: a later answer was delayed by a native call. */
  #recordSent(thread: AskedThread, slot: Slot): void {
    const { at, times } = readTogether(this.#now, () => thread.readTimes(slot));
    slot.setTime(SlotTime.busySentRunQueueMs, times?.runQueueMs ?? NaN);
    slot.setTime(SlotTime.busySentAt, at);
  }

  #onAnswer(answer: Answer, slot: Slot, threadId: number, tickAt: number): void {
    if (answer === undefined) return; // not asked after all: what has arrived belongs to the next answer
    if (answer === THREAD_GONE) this.#registry.release(slot, threadId);
    else if (answer === TERMINATED)
      repeatLostTermination(this.#registry, threadId, () => slot.getTime(SlotTime.tickAt) === tickAt);
    // What the answer has not counted, the next one must not: the thread does something else by then.
    else slot.setInt(SlotInt.arrivals, 0);
  }

  #threadOf(slot: Slot, now: number): AskedThread {
    const generation = slot.getInt(SlotInt.generation);
    const known = this.#threads.get(slot.index);
    if (known?.generation === generation) return known;
    known?.close();
    const thread = new AskedThread(generation, new PoissonArrivals(now, this.#random));
    this.#threads.set(slot.index, thread);
    return thread;
  }
}

class AskedThread {
  readonly generation: number;
  readonly arrivals: PoissonArrivals;
  isAsking = false;
  #times: ThreadTimesReader | undefined;

  constructor(generation: number, arrivals: PoissonArrivals) {
    this.generation = generation;
    this.arrivals = arrivals;
  }

  readTimes(slot: Slot): ReturnType<ThreadTimesReader['read']> {
    const osThreadId = slot.getInt(SlotInt.osThreadId);
    if (osThreadId === 0) return undefined;
    this.#times ??= openSchedstat(`self/task/${osThreadId}`);
    return this.#times?.read();
  }

  close(): void {
    this.#times?.close();
    this.#times = undefined;
  }
}
