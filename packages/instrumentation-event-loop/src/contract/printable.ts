/** Longest name or path that leaves the process, in characters. */
const MAX_NAME = 512;

const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Shortens text and replaces characters that are not safe to show or encode. Names come from the application's code and
 * can contain anything: control characters, which act on a terminal; bidirectional controls, which change the order of
 * the text that a reader sees; and unpaired surrogates, which protobuf cannot encode.
 */
export function printable(text: string, maxLength = MAX_NAME, keepsLines = false): string {
  const shortened = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return shortened.replaceAll(UNPRINTABLE, (character) => (keepsLines && character === '\n' ? character : '\uFFFD'));
}
