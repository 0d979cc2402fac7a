import { MalformedBodyError, MAX_DEPTH, OversizedBodyError } from './decoded.js';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Characters for each object, list, or two entries of one: an attribute of OTLP has more than 40, and counts as 3. */
const MIN_CHARACTERS = 12;

/** Fields of one object: the largest of OTLP has fewer than 20. V8 takes 5 µs for each of a million. */
const MAX_FIELDS = 1000;

/** Throws where the text has so many objects, lists or fields, or so deeply nested ones, that it is no OTLP. */
export function checkShape(body: string): void {
  const maxParts = 100_000 + body.length / MIN_CHARACTERS;
  let parts = 0;
  let depth = 0;
  /** Commas of the object at each depth; of a list, the commas do not count. */
  const commas: number[] = [];
  for (let index = 0; index < body.length; index += 1) {
    const code = body.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfText(body, index);
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      parts += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw new MalformedBodyError('Expected OTLP, got values that are nested too deeply.');
      commas[depth] = code === OPEN_OBJECT ? 0 : -Infinity;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
    } else if (code === COMMA) {
      // Of a list of numbers, or of unknown fields.
      parts += 0.5;
      const count = (commas[depth] ?? 0) + 1;
      commas[depth] = count;
      if (count >= MAX_FIELDS) throw new MalformedBodyError('Expected OTLP, got an object with too many fields.');
    }
    if (parts > maxParts) throw new OversizedBodyError('The body has too many entries: send smaller batches.');
  }
}

/** Index of the quote that ends the text which begins there; the length of the body if there is none. */
function endOfText(body: string, start: number): number {
  let end = start;
  for (;;) {
    end = body.indexOf('"', end + 1);
    if (end === -1) return body.length;
    let escapes = 0;
    while (body.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}
