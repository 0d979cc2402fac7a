/** What to do about a kind of code, in the words of its page. */
const BY_KIND: Readonly<Record<string, string>> = {
  'a nested scan': 'Look the element up in a Map or Set that is built once, instead of a search inside of a loop.',
  'synchronous cryptography': 'Use the form with a callback or promise, which runs in the thread pool.',
  'synchronous file access': 'Use node:fs/promises in requests; read what does not change once, at start-up.',
  'a large JSON document': 'Make the document smaller: pages, JSON Lines, or a stream; else parse in a worker thread.',
  'a regular expression that backtracks': 'Rewrite the pattern so that one text matches in one way only.',
  'a list without pages': 'Read, compute and send a page of the list at a time.',
};

const COMMON =
  'Do less work in the function, do it in parts that let other events run (await setImmediate between them), or move it to a worker thread.';

const HOW_TO_VERIFY =
  'Then show that it helped: record the same command at least 3 times before and 3 times after the change, and ask verify_fix.';

export function adviceOf(looksLike: unknown): string {
  const { kind, isGuess } = (looksLike ?? {}) as { readonly kind?: string; readonly isGuess?: boolean };
  const own = kind === undefined ? undefined : BY_KIND[kind];
  const advice = own === undefined ? COMMON : isGuess ? `If it is ${kind}: ${own}` : own;
  return `${advice} ${HOW_TO_VERIFY}`;
}
