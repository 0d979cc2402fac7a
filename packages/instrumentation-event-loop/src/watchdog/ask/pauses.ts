import { sharedNow } from '../../contract/clock.js';
import { Asking, Header, IdleMode, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { QuestionObserver } from './answer.js';
import { PauseSession, type PauseQuestion, type Trial } from './pause-session.js';

/** Age of a block from which on its thread may be stopped, ms: between these two, and so many times the cost of it. */
const FROM_MS = 300;
const FROM_AT_MOST_MS = 450;
const PER_ENABLING = 4;
/** Time between two stops: at least so long, ms, this share of the block's age, and so many times as long as the last one. */
const INTERVAL_MS = 75;
const INTERVAL_SHARE = 0.1;
const PER_STOP = 20;
/** Blocks in which neither way has an answer until there is said to be none. */
const MAX_FAILED_TRIALS = 3;

const sessions = new Map<number, PauseSession>();
/** The least that `Debugger.enable` has taken, ms: it grows with the number of scripts. */
let enablingMs = Infinity;
let failedTrials = 0;

/** From which age of a block on its thread is stopped, ms. */
export function pausesFrom(): number {
  const costMs = enablingMs === Infinity ? 0 : enablingMs;
  return Math.min(FROM_AT_MOST_MS, Math.max(FROM_MS, costMs * PER_ENABLING));
}

/** Time until the next stop of a thread that has been blocked for `ageMs`, ms. */
export function pauseInterval(threadId: number, ageMs: number): number {
  const stopMs = sessions.get(threadId)?.stopMs ?? 0;
  return Math.max(INTERVAL_MS, ageMs * INTERVAL_SHARE, stopMs * PER_STOP);
}

/** Stops the thread and asks it. */
export function askByPause(registry: Registry, threadId: number, question: PauseQuestion): void {
  const session = mayStop(registry, threadId) ? sessionOf(registry, threadId) : undefined;
  if (session) session.ask(question);
  else question.observer.onAnswer(undefined);
}

/**
 * Stops the thread once to find out whether that answers where an interrupt does not. V8 handles both in the order in
 * which they are sent: a pause that comes without an answer to the question before it proves that V8 answers none. A
 * native call holds both, and proves nothing.
 */
export function tryPause(
  registry: Registry,
  threadId: number,
  expression: string,
  observer: QuestionObserver,
  onImpossible: () => void,
): void {
  if (!mayStop(registry, threadId)) {
    observer.onAnswer(undefined);
    return;
  }
  const { ints } = registry;
  let trial: Trial | undefined;
  askByPause(registry, threadId, {
    expression,
    onTrial: (result) => {
      trial = result;
    },
    observer: {
      onSent: () => {
        observer.onSent();
      },
      onReached: () => observer.onReached?.(),
      onAnswer: (answer) => {
        if (trial === 'pauseNeeded' && answer !== undefined) Atomics.store(ints, Header.asking, Asking.byPause);
        else leavePause(threadId);
        if (trial === 'interruptAnswers') Atomics.store(ints, Header.asking, Asking.byInterrupt);
        const isFailed = trial === undefined || (trial === 'pauseNeeded' && answer === undefined);
        if (isFailed && ++failedTrials === MAX_FAILED_TRIALS) {
          const before = Atomics.compareExchange(ints, Header.asking, Asking.unknown, Asking.impossible);
          if (before === Asking.unknown) onImpossible();
        }
        observer.onAnswer(answer);
      },
    },
  });
}

/** The thread's block has ended: its debugger is switched off. */
export function leavePause(threadId: number): void {
  sessions.get(threadId)?.close();
}

export function terminateByPause(threadId: number): boolean {
  const session = sessions.get(threadId);
  session?.terminate();
  return session !== undefined;
}

function sessionOf(registry: Registry, threadId: number): PauseSession {
  const known = sessions.get(threadId);
  if (known) return known;
  const session = new PauseSession({
    registry,
    threadId,
    onEnabled: ({ start, end }) => {
      enablingMs = Math.min(enablingMs, end - start);
      const slot = [...registry.live()].find((live) => live.getInt(SlotInt.threadId) === threadId);
      slot?.setTime(SlotTime.debuggerFrom, start);
      slot?.setTime(SlotTime.debuggerUntil, end);
    },
    onClose: () => {
      sessions.delete(threadId);
    },
  });
  if (!session.isClosed) sessions.set(threadId, session);
  return session;
}

/**
 * A debugger of the program's developers would be shown these stops. And the order to go on reaches a worker through the
 * main thread, which must not be inside a native call meanwhile.
 */
function mayStop(registry: Registry, threadId: number): boolean {
  if (Atomics.load(registry.ints, Header.isInspected) === 1) return false;
  if (threadId === 0) return true;
  for (const slot of registry.live()) {
    if (slot.getInt(SlotInt.threadId) !== 0) continue;
    if (slot.getInt(SlotInt.idleMode) === IdleMode.active) return true;
    return sharedNow() - slot.getTime(SlotTime.tickAt) <= slot.getTime(SlotTime.suspectAfterMs);
  }
  return false; // nothing is known of the main thread
}
