import { Session } from 'node:inspector';
import { Header, type Registry } from '../registry.js';

/** What is answered in the name of a thread that is not there any more. */
export const GONE = 'gone';

/**
 * What a thread answered: a number, or the text that was asked for, which begins with one; `GONE`; undefined when it could
 * not be asked.
 */
export type Answer = number | string | undefined;

interface EvaluateResult {
  readonly result?: { readonly value?: unknown };
}

type Finish = (answer: Answer) => void;

/** The questions that are not answered yet. */
const open = new Set<Finish>();

/** Gives up all questions: the process exits, and must not wait for a thread that does not answer. */
export function closeSessions(): void {
  for (const finish of [...open]) finish(undefined);
}

/**
 * Asks a thread's probe once, by an inspector session that lives no longer than the question: a session left open prints
 * "Waiting for the debugger to disconnect..." even when the process kills itself by a signal. No debugger domain is
 * enabled, no port opened.
 */
export function askThread(registry: Registry, threadId: number, expression: string, done: Finish): void {
  const { ints } = registry;
  // First the count, then the look at `exiting`; the exiting thread does it the other way round.
  Atomics.add(ints, Header.openSessions, 1);
  const session = new Session();
  let isDone = false;
  let patience: NodeJS.Timeout | undefined;
  const finish: Finish = (answer) => {
    if (isDone) return;
    isDone = true;
    open.delete(finish);
    clearTimeout(patience);
    try {
      session.disconnect();
    } catch {
      // It was never connected, or the other side is gone.
    }
    Atomics.sub(ints, Header.openSessions, 1);
    Atomics.notify(ints, Header.openSessions);
    done(answer);
  };
  open.add(finish);
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
      patience = askWorker(session, threadId, params, finish, () => isDone);
    }
  } catch {
    finish(undefined);
  }
}

/**
 * A worker that was being started when it was asked never answers, ms. Asked again, one in a long native call loses nothing:
 * it answers the last question.
 */
const WORKER_PATIENCE_MS = 1000;

/** Worker threads are reached through the main thread's session, also while the main thread is blocked itself. */
function askWorker(
  session: Session,
  threadId: number,
  params: object,
  finish: Finish,
  isDone: () => boolean,
): NodeJS.Timeout {
  let attachedAs: string | undefined;
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    // Targets that were reported before the session was closed may still arrive after it.
    if (isDone() || threadIdOf(workerInfo.title) !== threadId) return;
    attachedAs = sessionId;
    const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => {
      if (error) finish(undefined);
    });
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
    if (isDone()) return;
    const answer = JSON.parse(message) as { id?: number; result?: EvaluateResult };
    if (answer.id === 1) finish(valueOf(answer.result));
  });
  session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
    if (sessionId === attachedAs) finish(GONE); // it ended while it was asked
  });
  // All workers there are have been attached before this is answered.
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => {
    if (error) finish(undefined);
    else if (attachedAs === undefined) finish(GONE);
  });
  return setTimeout(finish, WORKER_PATIENCE_MS, undefined);
}

/** Node's title of a worker target: `[worker 3] name`, before Node 20 `Worker 3`. */
function threadIdOf(title: string): number {
  return Number(/^\[?worker (\d+)/i.exec(title)?.[1]);
}

function valueOf(answer: EvaluateResult | undefined): Answer {
  const value = answer?.result?.value;
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
