import { sharedNow } from '../../contract/clock.js';
import type { Registry } from '../../contract/registry.js';
import { answerOfError, evaluation, THREAD_GONE, valueOf, type Answer, type QuestionObserver } from './answer.js';
import { CountedSession } from './counted-session.js';

/** How long the session stays open after its last answer, ms: the same workers are usually asked again within that. */
const KEEP_OPEN_MS = 100;
/**
 * How long a question waits for its answer, ms: a worker that was starting when it was asked never answers. A worker in
 * a long native call loses nothing when another session asks it again: it answers the last question.
 */
const ANSWER_TIMEOUT_MS = 1000;

interface Question {
  readonly threadId: number;
  readonly expression: string;
  readonly observer: QuestionObserver;
  /** On the shared clock. */
  readonly askedAt: number;
  /** Inspector session id of the worker that it was sent to; undefined while that worker is not attached. */
  target: string | undefined;
}

export interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: string };
}

/**
 * One session for all late workers. It reaches them through the main thread, even while that is blocked. A session
 * attaches to every worker of the process, so a session per question would cost each worker as much as a question of
 * its own.
 */
export class WorkerSession {
  readonly #questions = new Map<number, Question>();
  /** Inspector session ids of the attached workers, by thread id. */
  readonly #targets = new Map<number, string>();
  #session: CountedSession | undefined;
  #areWorkersAttached = false;
  #isUsable = true;
  #lastId = 0;
  #closeTimer: NodeJS.Timeout | undefined;
  #answerTimer: NodeJS.Timeout | undefined;

  constructor(registry: Registry) {
    CountedSession.open(
      registry,
      (session) => {
        this.#session = session;
        this.#start(session);
      },
      () => {
        this.#onClose();
      },
    );
  }

  /** False once the session takes no more questions and another one is needed. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  ask(threadId: number, expression: string, observer: QuestionObserver): void {
    if (!this.#isUsable) {
      observer.onAnswer(undefined);
      return;
    }
    clearTimeout(this.#closeTimer);
    const id = ++this.#lastId;
    this.#questions.set(id, { threadId, expression, observer, askedAt: sharedNow(), target: undefined });
    this.#answerTimer ??= setTimeout(this.#onAnswerTimeout, ANSWER_TIMEOUT_MS);
    if (this.#targets.has(threadId)) this.#send(id);
    else if (this.#areWorkersAttached) this.#onUnknownThread(id);
  }

  /** Terminates the JavaScript that the worker runs. */
  terminate(threadId: number): void {
    const sessionId = this.#targets.get(threadId);
    const message = JSON.stringify({ id: ++this.#lastId, method: 'Runtime.terminateExecution' });
    this.#session?.post('NodeWorker.sendMessageToWorker', { sessionId, message }, () => undefined);
  }

  #start(session: CountedSession): void {
    session.on('NodeWorker.attachedToWorker', (params) => {
      const { sessionId, workerInfo } = params as AttachedToWorker;
      this.#onAttached(threadIdOf(workerInfo.title), sessionId);
    });
    session.on('NodeWorker.receivedMessageFromWorker', (params) => {
      const { message } = params as { readonly message: string };
      const { id, result, error } = JSON.parse(message) as { id?: number; result?: unknown; error?: unknown };
      if (id !== undefined) this.#answer(id, error === undefined ? valueOf(result) : answerOfError(error));
    });
    session.on('NodeWorker.detachedFromWorker', (params) => {
      this.#onDetached((params as { readonly sessionId: string }).sessionId);
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => {
      if (error) session.close();
      else this.#onWorkersAttached();
    });
  }

  #onAttached(threadId: number, sessionId: string): void {
    this.#targets.set(threadId, sessionId);
    for (const [id, question] of [...this.#questions]) if (question.threadId === threadId) this.#send(id);
  }

  /** The thread ended before it could answer. */
  #onDetached(sessionId: string): void {
    for (const [threadId, target] of this.#targets) if (target === sessionId) this.#targets.delete(threadId);
    for (const [id, { target }] of [...this.#questions]) if (target === sessionId) this.#answer(id, THREAD_GONE);
  }

  /** Node attaches all running workers before it answers `enable`: a thread that is not attached now has ended. */
  #onWorkersAttached(): void {
    this.#areWorkersAttached = true;
    for (const [id, { target }] of [...this.#questions]) if (target === undefined) this.#answer(id, THREAD_GONE);
  }

  /**
   * The thread is not attached to this session: it has ended, or its start has not been reported yet. Only a new
   * session can tell.
   */
  #onUnknownThread(id: number): void {
    this.#isUsable = false;
    this.#answer(id, undefined);
  }

  #send(id: number): void {
    const question = this.#questions.get(id)!;
    const sessionId = this.#targets.get(question.threadId)!;
    question.target = sessionId;
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params: evaluation(question.expression) });
    this.#session?.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => {
      if (error) this.#answer(id, undefined);
      // The main thread has passed the message on; while that is blocked itself, this takes time.
      else if (this.#questions.get(id) === question) question.observer.onSent();
    });
  }

  #answer(id: number, answer: Answer): void {
    const question = this.#questions.get(id);
    if (!question) return;
    this.#questions.delete(id);
    if (this.#questions.size === 0) {
      clearTimeout(this.#closeTimer);
      this.#closeTimer = setTimeout(() => this.#session?.close(), this.#isUsable ? KEEP_OPEN_MS : 0);
    }
    question.observer.onAnswer(answer);
  }

  readonly #onAnswerTimeout = (): void => {
    // The first question in the map is the oldest.
    const oldest = this.#questions.values().next().value;
    const remainingMs = oldest ? oldest.askedAt + ANSWER_TIMEOUT_MS - sharedNow() : ANSWER_TIMEOUT_MS;
    if (remainingMs <= 0) this.#session?.close();
    else this.#answerTimer = oldest && setTimeout(this.#onAnswerTimeout, remainingMs);
  };

  #onClose(): void {
    this.#isUsable = false;
    clearTimeout(this.#closeTimer);
    clearTimeout(this.#answerTimer);
    const questions = [...this.#questions.values()];
    this.#questions.clear();
    for (const { observer } of questions) observer.onAnswer(undefined);
  }
}

/** Node's title of a worker target: `[worker 3] name`, before Node 20 `Worker 3`. */
export function threadIdOf(title: string): number {
  return Number(/^\[?worker (\d+)/i.exec(title)?.[1]);
}
