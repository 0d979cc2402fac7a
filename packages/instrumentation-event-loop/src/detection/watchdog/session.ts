import { Session } from 'node:inspector';
import { Header, type Registry } from '../registry.js';

/** What the probe answered: 0 for nobody, 1 for a sample, a text for a description; undefined when it could not be asked. */
export type Answer = number | string | undefined;

interface EvaluateResult {
  readonly result?: { readonly value?: unknown };
}

/**
 * Asks a thread's probe once, by an inspector session that lives no longer than the question: a session left open prints
 * "Waiting for the debugger to disconnect..." even when the process kills itself by a signal. No debugger domain is
 * enabled, no port opened.
 */
export function askThread(registry: Registry, threadId: number, expression: string, done: (answer: Answer) => void): void {
  const { ints } = registry;
  // First the flag, then the look at `exiting`; the exiting thread does it the other way round.
  Atomics.add(ints, Header.openSessions, 1);
  const session = new Session();
  let isDone = false;
  const finish = (answer: Answer): void => {
    if (isDone) return;
    isDone = true;
    try {
      session.disconnect();
    } catch {
      // It was never connected, or the other side is gone.
    }
    Atomics.sub(ints, Header.openSessions, 1);
    Atomics.notify(ints, Header.openSessions);
    done(answer);
  };
  if (Atomics.load(ints, Header.exiting) === 1) {
    finish(undefined);
    return;
  }
  try {
    session.connectToMainThread();
    const params = { expression, returnByValue: true, silent: true };
    if (threadId === 0) {
      session.post('Runtime.evaluate', params, (error, answer) => {
        finish(error ? undefined : valueOf(answer));
      });
    } else {
      askWorker(session, threadId, params, finish);
    }
  } catch {
    finish(undefined);
  }
}

/** Worker threads are reached through the main thread's session, also while the main thread is blocked itself. */
function askWorker(session: Session, threadId: number, params: object, finish: (answer: Answer) => void): void {
  const title = new RegExp(`(^|\\D)${threadId}(\\D|$)`);
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!title.test(workerInfo.title)) return;
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
    const answer = JSON.parse(message) as { id?: number; result?: EvaluateResult };
    if (answer.id === 1) finish(valueOf(answer.result));
  });
  session.on('NodeWorker.detachedFromWorker', () => {
    finish(undefined); // it ended while it was asked
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => {
    if (error) finish(undefined);
  });
}

function valueOf(answer: EvaluateResult | undefined): Answer {
  const value = answer?.result?.value;
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
