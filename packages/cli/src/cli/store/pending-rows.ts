import { blockRow, instanceRow, lagRow, removalRow, type Row } from './database.js';
import type { Change } from './store.js';

/** Enough for hours of blocks and lag without the file; more would take the memory that the data itself needs. */
const MAX_PENDING_CHARACTERS = 32 * 1024 * 1024;

/** Changes that are not in the file yet, oldest first, within a limit. */
export class PendingRows {
  /** A later state of a block or an instance replaces the earlier one. */
  readonly #rows = new Map<string, Row>();
  #characters = 0;
  #lagCount = 0;
  #dropped = 0;

  constructor(private readonly maxCharacters = MAX_PENDING_CHARACTERS) {}

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** Number of rows that the limit has pushed out. */
  get dropped(): number {
    return this.#dropped;
  }

  add({ instances, blocks, removedBlocks, lag }: Change, nowMs: number): void {
    for (const instance of instances) this.#put(`instance ${instance.id}`, instanceRow(instance, nowMs));
    for (const block of blocks) this.#put(`block ${block.instance} ${block.id}`, blockRow(block));
    for (const id of removedBlocks) this.#put(`removal ${id}`, removalRow(id));
    for (const point of lag) this.#put(`lag ${(this.#lagCount += 1)}`, lagRow(point));
    for (const [key, row] of this.#rows) {
      if (this.#characters <= this.maxCharacters) break;
      this.#delete(key, row);
      this.#dropped += 1;
    }
  }

  values(): Iterable<Row> {
    return this.#rows.values();
  }

  clear(): void {
    this.#rows.clear();
    this.#characters = 0;
    this.#dropped = 0;
  }

  #put(key: string, row: Row): void {
    const earlier = this.#rows.get(key);
    if (earlier) this.#delete(key, earlier);
    this.#rows.set(key, row);
    this.#characters += sizeOf(row);
  }

  #delete(key: string, row: Row): void {
    this.#rows.delete(key);
    this.#characters -= sizeOf(row);
  }
}

function sizeOf({ values }: Row): number {
  return values.reduce<number>((size, value) => size + (typeof value === 'string' ? value.length : 8), 0);
}
