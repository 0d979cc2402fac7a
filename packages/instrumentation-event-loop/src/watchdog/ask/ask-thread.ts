import { sharedNow } from '../../contract/clock.js';
import { ProbeAnswer } from '../../contract/probe-answers.js';
import { Asking, Header } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import { answerOfError, evaluation, valueOf, type Answer, type QuestionObserver } from './answer.js';
import { CountedSession } from './counted-session.js';
import { askByPause, leavePause, terminateByPause } from './pauses.js';
import { WorkerSession } from './worker-session.js';

/** From this wait on, ms, an answer without JavaScript makes one ask whether V8 answers within a block at all. */
const SUSPICIOUS_WAIT_MS = 300;

let workers: WorkerSession | undefined;
let isSuspicious = false;

/** How blocked threads are asked: one of `Asking`. */
export function askingOf({ ints }: Registry): number {
  return Atomics.load(ints, Header.asking);
}

/** A long block has ended without an answer from within, and there has been no such answer so far. */
export function seemsUnanswered(): boolean {
  return isSuspicious;
}

/** Asks a thread's probe once, in the way that works in this process. */
export function askThread(registry: Registry, threadId: number, expression: string, observer: QuestionObserver): void {
  if (askingOf(registry) === Asking.byPause) {
    askByPause(registry, threadId, { expression, observer });
    return;
  }
  const askedAt = sharedNow();
  const observed: QuestionObserver = {
    onSent: () => {
      observer.onSent();
    },
    onAnswer: (answer) => {
      if (showsJavaScript(answer)) Atomics.store(registry.ints, Header.asking, Asking.byInterrupt);
      else if (sharedNow() - askedAt > SUSPICIOUS_WAIT_MS) isSuspicious = true;
      observer.onAnswer(answer);
    },
  };
  if (threadId === 0) {
    askMainThread(registry, expression, observed);
    return;
  }
  workers = workers?.isUsable ? workers : new WorkerSession(registry);
  workers.ask(threadId, expression, observed);
}

/** The thread is not late any more. */
export function leaveThread(threadId: number): void {
  leavePause(threadId);
}

/** Terminates the JavaScript that the thread runs. */
export function terminate(registry: Registry, threadId: number): void {
  if (terminateByPause(threadId)) return;
  if (threadId !== 0) {
    workers?.terminate(threadId);
    return;
  }
  CountedSession.open(
    registry,
    (session) => {
      session.post('Runtime.terminateExecution', {}, () => undefined);
      session.close();
    },
    () => undefined,
  );
}

/** Whether the thread answered from within JavaScript: that is, in an interrupt. */
function showsJavaScript(answer: Answer): boolean {
  // A hang report begins with the digit that is otherwise the whole answer.
  const first = typeof answer === 'string' ? Number(answer[0]) : answer;
  return first === ProbeAnswer.running || first === ProbeAnswer.asleep || first === ProbeAnswer.asleepWithPending;
}

/** Opens a session for this one question. */
function askMainThread(registry: Registry, expression: string, observer: QuestionObserver): void {
  let answer: Answer;
  CountedSession.open(
    registry,
    (session) => {
      session.post('Runtime.evaluate', evaluation(expression), (error, result) => {
        answer = error ? answerOfError(error) : valueOf(result);
        session.close();
      });
      observer.onSent();
    },
    () => {
      observer.onAnswer(answer);
    },
  );
}
