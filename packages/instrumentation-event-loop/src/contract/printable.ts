/** Longest name or path that leaves the process, in characters. */
const MAX_NAME = 512;

const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Names come from the application's code and may hold anything: control characters do not reach a terminal, those that
 * turn the direction of text round no reader, and halves of surrogate pairs no protobuf, which knows none.
 */
export function printable(text: string, maxLength = MAX_NAME, keepsLines = false): string {
  const shortened = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return shortened.replaceAll(UNPRINTABLE, (character) => (keepsLines && character === '\n' ? character : '\uFFFD'));
}
