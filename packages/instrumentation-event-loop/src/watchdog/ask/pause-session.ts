import { sharedNow } from '../../contract/clock.js';
import type { Interval } from '../../contract/interval.js';
import type { Registry } from '../../contract/registry.js';
import { answerOfError, evaluation, valueOf, type Answer, type QuestionObserver } from './answer.js';
import { openChannel, type OpenChannel, type ThreadChannel } from './thread-channel.js';

export interface PauseQuestion {
  readonly expression: string;
  readonly observer: QuestionObserver;
  /**
   * Whether the thread is asked by an interrupt too, just before: what V8 answers to that shows whether the pause was
   * needed. Called when the thread has stopped.
   */
  readonly onTrial?: (trial: Trial) => void;
}

/** `pauseNeeded`: the thread has stopped in JavaScript, and the question that was put before has no answer from there. */
export type Trial = 'pauseNeeded' | 'interruptAnswers';

interface PauseSessionOptions {
  readonly registry: Registry;
  readonly threadId: number;
  /** Called once, when the debugger has been switched on, which stops the thread for that time. */
  readonly onEnabled: (enabling: Interval) => void;
  /** Called once. */
  readonly onClose: () => void;
  readonly open?: OpenChannel;
}

/**
 * V8 answers this at once, also where it evaluates nothing in an interrupt: the reply shows when the thread has reached
 * what was sent to it.
 */
const CHEAP_METHOD = 'Runtime.getIsolateId';

/**
 * Asks one thread by stopping it: V8 evaluates an expression in a thread that its debugger has stopped, also where it
 * evaluates nothing in an interrupt. `Debugger.enable` costs the thread 10 to 140 ms, so the session lasts as long as
 * the block does.
 *
 * The thread never stays stopped: the order to go on is sent with the question, and V8 goes on when the session ends,
 * in whatever way. It stops at no breakpoint and no `debugger` statement, for which this session would count as a
 * debugger.
 */
export class PauseSession {
  readonly #options: PauseSessionOptions;
  #channel: ThreadChannel | undefined;
  #isClosed = false;
  #question: PauseQuestion | undefined;
  #isStopped = false;
  #hasTrialAnswer = false;
  #isEnabled = false;
  /** When the thread began to do what was sent to it last. */
  #startedAt = 0;
  #stopMs = 0;

  constructor(options: PauseSessionOptions) {
    this.#options = options;
    const { registry, threadId, open = openChannel } = options;
    open(registry, threadId, {
      onOpen: (channel) => {
        this.#channel = channel;
        this.#enable(channel);
        if (this.#question) this.#pause(channel);
      },
      onPaused: () => {
        this.#onPaused();
      },
      onClose: () => {
        this.#end();
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** For how long the last question has stopped the thread, ms. */
  get stopMs(): number {
    return this.#stopMs;
  }

  /** One question at a time. */
  ask(question: PauseQuestion): void {
    if (this.#isClosed || this.#question) {
      question.observer.onAnswer(undefined);
      return;
    }
    this.#question = question;
    if (this.#channel) this.#pause(this.#channel);
  }

  /** Terminates the JavaScript that the thread runs. */
  terminate(): void {
    this.#channel?.post('Runtime.terminateExecution', {}, () => undefined);
  }

  close(): void {
    this.#channel?.close();
    this.#end();
  }

  #enable(channel: ThreadChannel): void {
    this.#reach(channel);
    channel.post('Debugger.enable', { maxScriptsCacheSize: 0 }, (error) => {
      if (error) this.close();
    });
    channel.post('Debugger.setBreakpointsActive', { active: false }, (error) => {
      if (error) {
        this.close();
        return;
      }
      this.#isEnabled = true;
      const enabling = { start: this.#startedAt, end: sharedNow() };
      this.#startedAt = enabling.end;
      this.#options.onEnabled(enabling);
    });
  }

  #reach(channel: ThreadChannel): void {
    channel.post(CHEAP_METHOD, {}, () => {
      this.#startedAt = sharedNow();
      this.#question?.observer.onReached?.();
    });
  }

  #pause(channel: ThreadChannel): void {
    const question = this.#question!;
    this.#isStopped = false;
    if (this.#isEnabled) this.#reach(channel);
    if (question.onTrial) {
      this.#hasTrialAnswer = false;
      channel.post('Runtime.evaluate', evaluation(question.expression), (error) => {
        this.#hasTrialAnswer = !error;
      });
    }
    channel.post('Debugger.pause', {}, (error) => {
      if (error) this.close();
    });
    question.observer.onSent();
  }

  #onPaused(): void {
    const question = this.#question;
    // A pause of another debugger. V8 reports one that has begun before this session before it answers `Debugger.enable`.
    // Without this session, V8 goes on only if it has no other.
    if (!question || this.#isStopped || !this.#isEnabled) {
      this.close();
      return;
    }
    this.#isStopped = true;
    try {
      question.onTrial?.(this.#hasTrialAnswer ? 'interruptAnswers' : 'pauseNeeded');
    } finally {
      this.#evaluate(question);
    }
  }

  /**
   * Not on a call frame: in the scope of a function of Node.js, `Symbol` and `globalThis` are variables of its module,
   * which V8 may have optimised away.
   */
  #evaluate({ expression }: PauseQuestion): void {
    let answer: Answer;
    this.#channel?.post('Runtime.evaluate', evaluation(expression), (error, result) => {
      answer = error ? answerOfError(error) : valueOf(result);
    });
    // Sent with the question, whatever comes of it.
    this.#channel?.post('Debugger.resume', {}, () => {
      this.#stopMs = sharedNow() - this.#startedAt;
      this.#answer(answer);
    });
  }

  #answer(answer: Answer): void {
    const question = this.#question;
    this.#question = undefined;
    question?.observer.onAnswer(answer);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose();
    this.#answer(undefined);
  }
}
