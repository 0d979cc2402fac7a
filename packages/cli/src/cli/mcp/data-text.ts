/*
 * Names of functions, files, requests and source lines come from the program that was watched, and a program can be made
 * to have any names. What an agent reads of them is data: bounded, on one line, and quoted where it stands in a sentence.
 */

/** What changes how the text around it is read, or is not seen: control characters, directions, tags, variation marks. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u{e0100}-\u{e01ef}]/gu;

export const MAX_NAME = 200;
export const MAX_SENTENCE = 700;

/** A name or a sentence as an agent gets it. */
export function dataText(text: string, maxLength = MAX_NAME): string {
  const visible = text.replace(INVISIBLE, ' ');
  return visible.length <= maxLength ? visible : `${visible.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The same inside of a text for an agent, such that it is seen where it begins and ends. */
export function quoted(text: string, maxLength = MAX_NAME): string {
  return JSON.stringify(dataText(text, maxLength));
}

/** Size of what a tool answers, in bytes: a context has other things to hold. */
export const MAX_RESULT_BYTES = 8192;
/** Of it, for the text beside the structured content, and for what the protocol adds. */
const TEXT_BYTES = 1500;

/** Whether it fits beside the text of an answer. */
export function fits(structured: object): boolean {
  return Buffer.byteLength(JSON.stringify(structured)) <= MAX_RESULT_BYTES - TEXT_BYTES;
}

/** A part of a list that fits, and where the next part begins. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** As many of the items as fit beside the rest of the answer, from the cursor on; at least one. */
export function pageOf<T>(all: readonly T[], cursor: string | undefined, rest: object): Page<T> {
  const start = offsetOf(cursor, all.length);
  let end = Math.min(all.length, start + 1);
  while (end < all.length && fits({ ...rest, items: all.slice(start, end + 1), nextCursor: '99999' })) end += 1;
  return { items: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
}

function offsetOf(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return 0;
  const offset = /^\d{1,6}$/.test(cursor) ? Number(cursor) : NaN;
  if (offset < count) return offset;
  throw new Error(
    `Expected as cursor the nextCursor of an answer about the same data, got ${quoted(cursor, 40)}. Leave it out to begin again.`,
  );
}
