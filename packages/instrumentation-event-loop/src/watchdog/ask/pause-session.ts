import { sharedNow } from '../../contract/clock.js';
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
  /** What `Debugger.enable` takes in this process, ms. */
  readonly usualEnablingMs: number | undefined;
  /** Called once, with the time that it has taken. */
  readonly onClose: (enablingMs: number | undefined) => void;
  readonly open?: OpenChannel;
}

/**
 * What a stop takes a thread that runs JavaScript, ms, and for each function on its stack, which V8 describes with its
 * variables: a stack of 3000 functions takes half a second. A native call takes longer.
 */
const STOP_MS = 5;
const STOP_MS_PER_FRAME = 0.2;
/** What `Debugger.enable` takes before it is known, ms: that of a large application. */
const ENABLING_MS = 150;

interface Paused {
  readonly callFrames: readonly { readonly callFrameId: string }[];
}

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
  #isFirst = true;
  #hasTrialAnswer = false;
  #enablingMs: number | undefined;
  #stoppedAt = 0;
  #stopMs = 0;

  constructor(options: PauseSessionOptions) {
    this.#options = options;
    const { registry, threadId, open = openChannel } = options;
    open(registry, threadId, {
      onOpen: (channel) => {
        this.#channel = channel;
        this.#enable(channel);
        if (this.#question) this.#pause();
      },
      onPaused: (params) => {
        this.#onPaused(params as Paused);
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
    if (this.#channel) this.#pause();
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
    const startedAt = sharedNow();
    channel.post('Debugger.enable', { maxScriptsCacheSize: 0 }, (error) => {
      if (error) this.close();
    });
    channel.post('Debugger.setBreakpointsActive', { active: false }, (error) => {
      if (error) {
        this.close();
        return;
      }
      this.#enablingMs = sharedNow() - startedAt;
    });
  }

  #pause(): void {
    const question = this.#question!;
    this.#isStopped = false;
    if (question.onTrial) {
      this.#hasTrialAnswer = false;
      this.#channel?.post('Runtime.evaluate', evaluation(question.expression), (error) => {
        this.#hasTrialAnswer = !error;
      });
    }
    this.#channel?.post('Debugger.pause', {}, (error) => {
      if (error) this.close();
    });
    question.observer.onSent();
  }

  #onPaused({ callFrames }: Paused): void {
    const question = this.#question;
    const top = callFrames[0];
    // A pause of another debugger; one that has begun before this session is told before `Debugger.enable` is answered.
    // Without this session, V8 goes on only if it has no other.
    if (!question || this.#isStopped || !top || this.#enablingMs === undefined) {
      this.close();
      return;
    }
    this.#isStopped = true;
    this.#stoppedAt = sharedNow();
    // V8 has described the stack before.
    this.#stopMs = STOP_MS_PER_FRAME * callFrames.length;
    try {
      question.observer.onStopped?.(this.#usualMs(callFrames.length));
      question.onTrial?.(this.#hasTrialAnswer ? 'interruptAnswers' : 'pauseNeeded');
    } finally {
      this.#evaluate(question, top.callFrameId);
    }
  }

  /** The first pause waits for what has been sent before. */
  #usualMs(frameCount: number): number {
    const { usualEnablingMs } = this.#options;
    const enablingMs = usualEnablingMs === undefined ? ENABLING_MS : usualEnablingMs * 2;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return STOP_MS + STOP_MS_PER_FRAME * frameCount + (isFirst ? enablingMs : 0);
  }

  #evaluate({ expression }: PauseQuestion, callFrameId: string): void {
    let answer: Answer;
    const { disableBreaks: _, ...parameters } = evaluation(expression);
    this.#channel?.post('Debugger.evaluateOnCallFrame', { ...parameters, callFrameId }, (error, result) => {
      answer = error ? answerOfError(error) : valueOf(result);
    });
    // Sent with the question, whatever comes of it.
    this.#channel?.post('Debugger.resume', {}, () => {
      this.#stopMs += sharedNow() - this.#stoppedAt;
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
    this.#options.onClose(this.#enablingMs);
    this.#answer(undefined);
  }
}
