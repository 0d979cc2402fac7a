import type { Registry } from '../../contract/registry.js';
import { answerOfError, evaluation, valueOf, type Answer, type QuestionObserver } from './answer.js';
import { CountedSession } from './counted-session.js';
import { WorkerSession } from './worker-session.js';

let workers: WorkerSession | undefined;

/** Asks a thread's probe once. */
export function askThread(registry: Registry, threadId: number, expression: string, observer: QuestionObserver): void {
  if (threadId === 0) {
    askMainThread(registry, expression, observer);
    return;
  }
  workers = workers?.isUsable ? workers : new WorkerSession(registry);
  workers.ask(threadId, expression, observer);
}

/** Terminates the JavaScript that the thread runs. */
export function terminate(registry: Registry, threadId: number): void {
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
