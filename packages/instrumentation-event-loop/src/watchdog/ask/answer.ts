/** The answer for a thread that has ended. */
export const THREAD_GONE = 'gone';

/** The answer of a thread whose JavaScript was terminated while it answered. */
export const TERMINATED = 'terminated';

/** The answer of V8 (Node.js 20 and 22) for a thread whose JavaScript runs on after such an answer: it evaluates nothing. */
export const RUNS_ON = 'runs on';

/**
 * The answer of a thread: a number, a hang report as text that begins with that number, or one of these words; undefined
 * when the thread could not be asked.
 */
export type Answer = number | string | undefined;

export interface QuestionObserver {
  /** Called once the thread can be interrupted by the question; perhaps after the answer, perhaps never. */
  onSent(): void;
  /** Called before the answer, where the thread is stopped for it: it has now reached the question. */
  onReached?(): void;
  /** Called once. */
  onAnswer(answer: Answer): void;
}

/**
 * Parameters of `Runtime.evaluate`. V8 evaluates the expression at the next interrupt check of the running JavaScript.
 * `disableBreaks`: a debugger that pauses the thread stops it in the application, not in the expression. Paused there,
 * from Node 22 on, the thread gets no message of any session, and stays paused.
 */
export function evaluation(expression: string): {
  readonly expression: string;
  readonly returnByValue: boolean;
  readonly silent: boolean;
  readonly disableBreaks: boolean;
} {
  return { expression, returnByValue: true, silent: true, disableBreaks: true };
}

/** What the error of `Runtime.evaluate` says. */
export function answerOfError(error: unknown): Answer {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  if (typeof message !== 'string') return undefined;
  if (message.includes('Execution was terminated')) return TERMINATED;
  return message.includes('Internal error') ? RUNS_ON : undefined;
}

/** The value in the result of `Runtime.evaluate`. */
export function valueOf(evaluated: unknown): Answer {
  const value = (evaluated as { readonly result?: { readonly value?: unknown } } | undefined)?.result?.value;
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
