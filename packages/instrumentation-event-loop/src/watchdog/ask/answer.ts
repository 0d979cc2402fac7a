/** What is answered in the name of a thread that is not there any more. */
export const THREAD_GONE = 'gone';

/**
 * What a thread answered: a number, or the text that was asked for, which begins with one; `GONE`; undefined when it could
 * not be asked.
 */
export type Answer = number | string | undefined;

export type OnAnswer = (answer: Answer) => void;

/** Parameters of the question, which the inspector puts to a running thread between two of its instructions. */
export function evaluation(expression: string): object {
  return { expression, returnByValue: true, silent: true };
}

/** The value in the result of `Runtime.evaluate`. */
export function valueOf(evaluated: unknown): Answer {
  const value = (evaluated as { readonly result?: { readonly value?: unknown } } | undefined)?.result?.value;
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
