/** An entry of two maps: of values, and of their sizes. */
const ENTRY_BYTES = 150;

/**
 * A map that knows how much memory its entries take, so that all of them together can be kept below a limit. The order is
 * that of a map: who sets an entry again puts it last with `touch`.
 */
export class SizedMap<V> extends Map<string, V> {
  #bytes = 0;
  readonly #sizes = new Map<string, number>();
  readonly #sizeOf: (value: V) => number;

  constructor(sizeOf: (value: V) => number = sizeOfValue) {
    super();
    this.#sizeOf = sizeOf;
  }

  /** Estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  override set(key: string, value: V): this {
    this.#resize(key, ENTRY_BYTES + textBytes(key) + this.#sizeOf(value));
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#resize(key, 0);
    return super.delete(key);
  }

  override clear(): void {
    this.#bytes = 0;
    this.#sizes.clear();
    super.clear();
  }

  /** Notes that a value has become larger or, with a negative number, smaller. */
  grow(key: string, bytes: number): void {
    const size = this.#sizes.get(key);
    if (size !== undefined) this.#resize(key, size + bytes);
  }

  /** Puts an entry last: it is evicted last. */
  touch(key: string): void {
    const value = this.get(key);
    if (value === undefined) return;
    super.delete(key);
    super.set(key, value);
  }

  #resize(key: string, bytes: number): void {
    this.#bytes += bytes - (this.#sizes.get(key) ?? 0);
    if (bytes === 0) this.#sizes.delete(key);
    else this.#sizes.set(key, bytes);
  }
}

const WIDE = /[^\0-\xff]/;

/** V8 takes one byte for each character, or two where one of them is not in Latin-1. */
function textBytes(text: string): number {
  return 24 + text.length * (WIDE.test(text) ? 2 : 1);
}

/** By how much a list grows with these items: without the list itself, so that as much is taken off with them. */
export function sizeOfItems(items: readonly unknown[]): number {
  return items.reduce<number>((bytes, item) => bytes + sizeOfValue(item), 0);
}

/** Of a value as JSON could hold it. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 56;
  for (const item of Object.values(value)) bytes += 8 + sizeOfValue(item);
  return bytes;
}
