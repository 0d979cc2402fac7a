import { sharedNow } from '../../contract/clock.js';
import type { Registry } from '../../contract/registry.js';
import { evaluation, THREAD_GONE, valueOf, type Answer, type OnAnswer } from './answer.js';
import { CountedSession } from './counted-session.js';

/** How long a session is kept when no question is open, ms: the same workers are asked again within that. */
const KEEP_OPEN_MS = 100;
/**
 * A worker that was being started when it was asked never answers, ms. Asked again by another session, one in a long
 * native call loses nothing: it answers the last question.
 */
const ANSWER_TIMEOUT_MS = 1000;

interface Question {
  readonly threadId: number;
  readonly expression: string;
  readonly onAnswer: OnAnswer;
  /** On the shared clock. */
  readonly askedAt: number;
  /** The target it was put to; undefined while that is not attached. */
  target: string | undefined;
}

interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: string };
}

/**
 * One session for all late workers. They are reached through the main thread, also while that is blocked itself; a session
 * attaches to every worker there is, so that one a question would cost each worker as much as its own question.
 */
export class WorkerSession {
  readonly #questions = new Map<number, Question>();
  /** Targets by thread id. */
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

  /** False once it takes no more questions: another must be made. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  ask(threadId: number, expression: string, onAnswer: OnAnswer): void {
    if (!this.#isUsable) {
      onAnswer(undefined);
      return;
    }
    clearTimeout(this.#closeTimer);
    const id = ++this.#lastId;
    this.#questions.set(id, { threadId, expression, onAnswer, askedAt: sharedNow(), target: undefined });
    this.#answerTimer ??= setTimeout(this.#onAnswerTimeout, ANSWER_TIMEOUT_MS);
    if (this.#targets.has(threadId)) this.#send(id);
    else if (this.#areWorkersAttached) this.#onUnknownThread(id);
  }

  #start(session: CountedSession): void {
    session.on('NodeWorker.attachedToWorker', (params) => {
      const { sessionId, workerInfo } = params as AttachedToWorker;
      this.#onAttached(threadIdOf(workerInfo.title), sessionId);
    });
    session.on('NodeWorker.receivedMessageFromWorker', (params) => {
      const { message } = params as { readonly message: string };
      const { id, result } = JSON.parse(message) as { readonly id?: number; readonly result?: unknown };
      if (id !== undefined) this.#answer(id, valueOf(result));
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

  /** The thread ended while it was asked, or before it could be. */
  #onDetached(sessionId: string): void {
    for (const [threadId, target] of this.#targets) if (target === sessionId) this.#targets.delete(threadId);
    for (const [id, { target }] of [...this.#questions]) if (target === sessionId) this.#answer(id, THREAD_GONE);
  }

  /** All workers that there are have been attached before `enable` is answered. */
  #onWorkersAttached(): void {
    this.#areWorkersAttached = true;
    for (const [id, { target }] of [...this.#questions]) if (target === undefined) this.#answer(id, THREAD_GONE);
  }

  /**
   * Of a thread that this session does not know, only the next session can tell whether it has ended: its start may not
   * have been told yet.
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
    question.onAnswer(answer);
  }

  readonly #onAnswerTimeout = (): void => {
    // The first is the oldest.
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
    for (const { onAnswer } of questions) onAnswer(undefined);
  }
}

/** Node's title of a worker target: `[worker 3] name`, before Node 20 `Worker 3`. */
function threadIdOf(title: string): number {
  return Number(/^\[?worker (\d+)/i.exec(title)?.[1]);
}
