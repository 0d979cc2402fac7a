import type { Registry } from '../../contract/registry.js';
import { evaluation, valueOf, type Answer, type OnAnswer } from './answer.js';
import { CountedSession } from './counted-session.js';
import { WorkerSession } from './worker-session.js';

let workers: WorkerSession | undefined;

/** Asks a thread's probe once. `onAnswer` is called once. */
export function askThread(registry: Registry, threadId: number, expression: string, onAnswer: OnAnswer): void {
  if (threadId === 0) {
    askMainThread(registry, expression, onAnswer);
    return;
  }
  workers = workers?.isUsable ? workers : new WorkerSession(registry);
  workers.ask(threadId, expression, onAnswer);
}

/** Opens a session for this one question. */
function askMainThread(registry: Registry, expression: string, onAnswer: OnAnswer): void {
  let answer: Answer;
  CountedSession.open(
    registry,
    (session) => {
      session.post('Runtime.evaluate', evaluation(expression), (error, result) => {
        if (!error) answer = valueOf(result);
        session.close();
      });
    },
    () => {
      onAnswer(answer);
    },
  );
}
