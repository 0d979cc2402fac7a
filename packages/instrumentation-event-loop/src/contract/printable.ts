/** Longest name or path that leaves the process, in characters. */
const MAX_NAME = 512;

const LINE_FEED = 0x0a;

/**
 * Shortens text and replaces characters that are not safe to show or encode. Names come from the application's code and
 * can contain anything: control characters, which act on a terminal; bidirectional controls, which change the order of
 * the text that a reader sees; and unpaired surrogates, which protobuf cannot encode.
 */
export function printable(text: string, maxLength = MAX_NAME, keepsLines = false): string {
  const shortened = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  let result = '';
  let copied = 0;
  for (let i = 0; i < shortened.length; i++) {
    const code = shortened.codePointAt(i)!;
    if (code > 0xffff) i++;
    else if (isUnprintable(code) && !(keepsLines && code === LINE_FEED)) {
      result += `${shortened.slice(copied, i)}\uFFFD`;
      copied = i + 1;
    }
  }
  return copied === 0 ? shortened : result + shortened.slice(copied);
}

function isUnprintable(code: number): boolean {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isUnpairedSurrogate = code >= 0xd800 && code <= 0xdfff;
  const isSeparator = code === 0x2028 || code === 0x2029;
  return isControl || isUnpairedSurrogate || isSeparator || isBidirectional(code);
}

/** Whether it changes the direction of the text: a mark, an embedding, an override or an isolate. */
function isBidirectional(code: number): boolean {
  const isMark = code === 0x061c || code === 0x200e || code === 0x200f;
  return isMark || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
