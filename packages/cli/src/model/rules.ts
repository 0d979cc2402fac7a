/*
 * What the network, a file and a watched program may say. Each field of what is kept has a rule: a range for a number, a
 * length for a text. Code that computes with a field later (a loop over lines, a sum, a date) relies on it.
 */

/** The value as it is kept; undefined if the field cannot have it. */
export type Rule<T> = (value: unknown) => T | undefined;

/** V8 has no longer text: no source has more lines, and no line more columns. */
export const MAX_POSITION = 2 ** 29;
/** Sums over all that is kept stay exact. */
const MAX_COUNT = 1e9;
/** A year. No block and no interval of metrics is longer. */
export const MAX_DURATION_MS = 366 * 24 * 3_600_000;
/** The end of the year 9999: every time has a date. */
export const MAX_TIME_MS = 253_402_300_799_999;

/** Names of functions, services, spans, threads. The instrumentation cuts its own at 512. */
export const MAX_NAME = 512;
/** As long as Linux takes them. */
const MAX_PATH = 4_096;
/** Stacks and folded stacks, as the instrumentation writes them. */
export const MAX_STACK = 16_384;
/** Times by line: the instrumentation writes 64 of them. */
const MAX_LINES = 2_048;
const MAX_PENDING = 64;

/** Control characters act on a terminal, bidirectional ones change the order of the text, half a surrogate is no text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const HALF_SURROGATE = /\p{Cs}/gu;
const REPLACEMENT = '\uFFFD';

export const time = within(0, MAX_TIME_MS);
export const duration = within(0, MAX_DURATION_MS);
export const share = within(0, 1);
export const count = integerWithin(0, MAX_COUNT);
export const position = integerWithin(0, MAX_POSITION);
export const id = integerWithin(0, Number.MAX_SAFE_INTEGER);

export const name = text(MAX_NAME);
/** Joined from three names. */
export const instanceId = text(3 * MAX_NAME + 2);
export const path = text(MAX_PATH);
export const stack = lines(MAX_STACK);
export const timesByLine = lines(MAX_LINES);
export const traceId = matching(/^(?!0+$)[0-9a-f]{32}$/);
export const spanId = matching(/^(?!0+$)[0-9a-f]{16}$/);

export const flag: Rule<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export const names: Rule<readonly string[]> = (value) =>
  Array.isArray(value) ? value.slice(0, MAX_PENDING).flatMap((item: unknown) => name(item) ?? []) : undefined;

function within(minimum: number, maximum: number): Rule<number> {
  return (value) => (typeof value === 'number' && value >= minimum && value <= maximum ? value : undefined);
}

function integerWithin(minimum: number, maximum: number): Rule<number> {
  const inRange = within(minimum, maximum);
  return (value) => (Number.isInteger(value) ? inRange(value) : undefined);
}

export function oneOf<T extends string>(known: readonly T[]): Rule<T> {
  return (value) => known.find((item) => item === value);
}

function matching(pattern: RegExp): Rule<string> {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined);
}

/** One line of at most so many characters; a longer one ends with `…`. */
function text(maxLength: number): Rule<string> {
  return (value) => {
    if (typeof value !== 'string' || value === '') return undefined;
    const kept = value.length > maxLength ? `${copyOf(value, maxLength - 1)}…` : value;
    return kept.replace(UNPRINTABLE, REPLACEMENT);
  };
}

/** The whole lines at the start, of at most so many characters: half a line would name another place, another time. */
function lines(maxLength: number): Rule<string> {
  return (value) => {
    if (typeof value !== 'string' || value === '') return undefined;
    if (value.length <= maxLength) return value.replace(HALF_SURROGATE, REPLACEMENT);
    const end = value.lastIndexOf('\n', maxLength);
    return end <= 0 ? undefined : copyOf(value, end).replace(HALF_SURROGATE, REPLACEMENT);
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The start of a text. V8's own slice would keep the whole text in memory. */
function copyOf(value: string, length: number): string {
  return decoder.decode(encoder.encode(value.slice(0, length)));
}

/** A rule for each field; those of `Required` must be acceptable, or the whole is not. */
export type Rules<T> = { readonly [K in keyof Required<T>]: Rule<T[K]> };

/** The known fields of the value that have an acceptable value; undefined if a required one has none. */
export function accepted<T extends object>(
  value: unknown,
  rules: Rules<T>,
  required: readonly (keyof T)[],
): T | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const result: Partial<T> = {};
  for (const key of Object.keys(rules) as (keyof T)[]) {
    const field: unknown = (value as Readonly<Record<keyof T, unknown>>)[key];
    const kept = field === undefined ? undefined : rules[key](field);
    if (kept !== undefined) result[key] = kept;
    else if (required.includes(key)) return undefined;
  }
  return result as T;
}
