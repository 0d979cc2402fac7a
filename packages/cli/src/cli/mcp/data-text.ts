/*
 * Names of functions, files, requests and source lines come from the program that was watched, and a program can be made
 * to have any names. What an agent reads of them is data: bounded, on one line, and quoted where it stands in a sentence.
 */

/** What changes how the text around it is read, or is not seen: control characters, directions, tags, variation marks. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/** Bytes of UTF-8: a model reads other scripts at three bytes a character. */
export const MAX_NAME = 200;
export const MAX_SENTENCE = 500;
/** Of a sentence inside of a text, where quotes are escaped twice. */
export const MAX_QUOTED = 300;

/** A name or a sentence as an agent gets it. */
export function dataText(text: string, maxBytes = MAX_NAME): string {
  const visible = text.slice(0, 2 * maxBytes).replace(INVISIBLE, ' ');
  const bytes = Buffer.from(visible);
  if (bytes.length <= maxBytes && text.length <= 2 * maxBytes) return visible;
  // A character that is cut leaves replacement characters at the end.
  const kept = bytes.subarray(0, maxBytes - 3).toString();
  return `${kept.replace(/\ufffd+$/, '')}…`;
}

/** The same inside of a text for an agent, such that it is seen where it begins and ends. */
export function quoted(text: string, maxBytes = MAX_NAME): string {
  return JSON.stringify(dataText(text, maxBytes));
}

/** Size of what a tool answers, in bytes: a context has other things to hold. */
const MAX_RESULT_BYTES = 8192;
/** Of it, for the text beside the structured content, and for what the protocol adds. */
const TEXT_BYTES = 2000;

/** Whether it fits beside the text of an answer. */
export function fits(structured: object): boolean {
  return Buffer.byteLength(JSON.stringify(structured)) <= MAX_RESULT_BYTES - TEXT_BYTES;
}

/** The object without as many of the last entries of its lists as do not fit; the first list is cut first. */
export function withWhatFits<T extends object>(
  whole: T,
  lists: Readonly<Record<string, readonly unknown[]>>,
): T & Readonly<Record<string, unknown>> {
  const kept = Object.entries(lists).map(([name, entries]): [string, unknown[]] => [name, [...entries]]);
  let isCut = false;
  const result = (): T & Readonly<Record<string, unknown>> => ({
    ...whole,
    ...Object.fromEntries(kept.filter(([, entries]) => entries.length > 0)),
    ...(isCut && { isCut }),
  });
  for (const [, entries] of kept) {
    while (entries.length > 0 && !fits(result())) {
      entries.pop();
      isCut = true;
    }
  }
  return result();
}

/** A part of a list that fits, and where the next part begins. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** As many of the items as fit beside the rest of the answer, as they are described, from the cursor on; at least one. */
export function pageOf<S, T>(
  all: readonly S[],
  cursor: string | undefined,
  rest: object,
  describe: (item: S) => T,
): Page<T> {
  const start = offsetOf(cursor, all.length);
  const items: T[] = [];
  for (const item of all.slice(start)) {
    const described = describe(item);
    if (items.length > 0 && !fits({ ...rest, items: [...items, described], nextCursor: '99999' })) break;
    items.push(described);
  }
  const end = start + items.length;
  return { items, ...(end < all.length && { nextCursor: String(end) }) };
}

function offsetOf(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return 0;
  const offset = /^\d{1,6}$/.test(cursor) ? Number(cursor) : NaN;
  if (offset < count) return offset;
  throw new Error(
    `Expected as cursor the nextCursor of an answer about the same data, got ${quoted(cursor, 40)}. Leave it out to begin again.`,
  );
}
