import { Atomics } from '../contract/built-ins.js';
import { sharedNow } from '../contract/clock.js';
import { Ending, Header, Question, SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';

/** How long the exit of the process waits for a worker that answers, ms: other threads may keep it from the CPU. */
const ANSWER_TIMEOUT_MS = 200;
/**
 * From when on after the question a worker that does not begin to answer counts as in a native call, ms. Its
 * termination comes before the answer then.
 */
const BEGIN_TIMEOUT_MS = 100;

/**
 * Waits until no worker answers the watchdog any more. Called once the watchdog asks no further question, and before
 * the process terminates its workers: V8's termination unwinds the probe and then stops in the inspector that has
 * called it, so that the worker continues and the process waits for it. Node 20 aborts the process where such a worker
 * sleeps in `Atomics.wait` and is terminated again.
 */
export function awaitAnswers(registry: Registry): void {
  awaitAnswersOf(registry, () => true);
}

/** The same for one worker, before it is terminated: the watchdog asks it nothing more. */
export function awaitLastAnswer(registry: Registry, threadId: number): void {
  const isMeant = (slot: Slot): boolean => slot.getInt(SlotInt.threadId) === threadId;
  registry.someLive((slot) => {
    if (isMeant(slot)) slot.setInt(SlotInt.ending, Ending.terminated);
    return false;
  });
  awaitAnswersOf(registry, isMeant);
}

function awaitAnswersOf(registry: Registry, isMeant: (slot: Slot) => boolean): void {
  const startedAt = sharedNow();
  const mustWait = (): boolean => {
    const now = sharedNow();
    return registry.someLive((slot) => isMeant(slot) && now < endOfWait(slot, startedAt));
  };
  while (mustWait()) Atomics.wait(registry.ints, Header.wake, Atomics.load(registry.ints, Header.wake), 1);
}

function endOfWait(slot: Slot, startedAt: number): number {
  // The main thread calls this, and answers no question meanwhile.
  if (slot.getInt(SlotInt.threadId) === 0) return -Infinity;
  switch (slot.getInt(SlotInt.question)) {
    case Question.asked:
      return Math.max(slot.getTime(SlotTime.requestedAt), slot.getTime(SlotTime.busyRequestedAt)) + BEGIN_TIMEOUT_MS;
    case Question.answering:
      return startedAt + ANSWER_TIMEOUT_MS;
    default:
      return -Infinity;
  }
}
