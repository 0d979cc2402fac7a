import { TextDecoder, TextEncoder } from 'node:util';
import { Atomics, Math } from './built-ins.js';
import {
  BYTE_LENGTH,
  MAILBOX_BYTES,
  MAILBOX_COUNT,
  MAILBOX_TEXTS_OFFSET,
  MAILBOXES_OFFSET,
} from './registry-layout.js';
import type { Slot } from './slots.js';

/** Fields of a mailbox. */
const STATE = 0;
const SLOT = 1;
const GENERATION = 2;
const LENGTH = 3;
const FIELDS = 4;

const State = { free: 0, writing: 1, asked: 2, answered: 3 } as const;

/**
 * Where threads ask the watchdog for the source of their frames. In shared memory, because a blocked thread asks, too,
 * and handles no messages. A thread has one mailbox at a time; where all are taken, it asks later.
 */
export class MapMailboxes {
  readonly #ints: Int32Array;
  readonly #texts: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer, MAILBOXES_OFFSET, MAILBOX_COUNT * FIELDS);
    this.#texts = new Uint8Array(buffer, MAILBOX_TEXTS_OFFSET, BYTE_LENGTH - MAILBOX_TEXTS_OFFSET);
  }

  /** Puts the thread's question into a free mailbox; undefined where there is none, or the text is too long. */
  ask({ index }: Pick<Slot, 'index'>, generation: number, text: string): number | undefined {
    if (text.length > MAILBOX_BYTES) return undefined;
    for (let box = 0; box < MAILBOX_COUNT; box++) {
      const at = box * FIELDS;
      if (Atomics.compareExchange(this.#ints, at + STATE, State.free, State.writing) !== State.free) continue;
      Atomics.store(this.#ints, at + SLOT, index);
      Atomics.store(this.#ints, at + GENERATION, generation);
      const isWhole = this.#write(box, text);
      Atomics.store(this.#ints, at + STATE, isWhole ? State.asked : State.free);
      return isWhole ? box : undefined;
    }
    return undefined;
  }

  /** Takes the answer, which frees the mailbox; undefined where there is none yet. */
  takeAnswer(box: number): string | undefined {
    if (Atomics.load(this.#ints, box * FIELDS + STATE) !== State.answered) return undefined;
    const text = this.#read(box);
    Atomics.store(this.#ints, box * FIELDS + STATE, State.free);
    return text;
  }

  /** Waits for the answer, for a limited time: the process ends. */
  waitForAnswer(box: number, ms: number): void {
    Atomics.wait(this.#ints, box * FIELDS + STATE, State.asked, ms);
  }

  /** The watchdog: mailboxes with a question. Those of ended threads become free. */
  questions(isLive: (slotIndex: number, generation: number) => boolean): number[] {
    const boxes: number[] = [];
    for (let box = 0; box < MAILBOX_COUNT; box++) {
      const at = box * FIELDS;
      const state = Atomics.load(this.#ints, at + STATE);
      if (state !== State.asked && state !== State.answered) continue;
      if (!isLive(Atomics.load(this.#ints, at + SLOT), Atomics.load(this.#ints, at + GENERATION))) {
        Atomics.compareExchange(this.#ints, at + STATE, state, State.free);
      } else if (state === State.asked) boxes[boxes.length] = box;
    }
    return boxes;
  }

  questionIn(box: number): string {
    return this.#read(box);
  }

  /** The watchdog answers: an answer that is too long says nothing. */
  answer(box: number, text: string): void {
    if (!this.#write(box, text)) this.#write(box, '');
    Atomics.compareExchange(this.#ints, box * FIELDS + STATE, State.asked, State.answered);
    Atomics.notify(this.#ints, box * FIELDS + STATE);
  }

  /** Whether the whole text has been written. */
  #write(box: number, text: string): boolean {
    const start = box * MAILBOX_BYTES;
    const { read, written } = new TextEncoder().encodeInto(text, this.#texts.subarray(start, start + MAILBOX_BYTES));
    Atomics.store(this.#ints, box * FIELDS + LENGTH, written);
    return read === text.length;
  }

  #read(box: number): string {
    const start = box * MAILBOX_BYTES;
    const length = Math.min(Math.max(0, Atomics.load(this.#ints, box * FIELDS + LENGTH)), MAILBOX_BYTES);
    // A copy: TextDecoder does not take shared memory.
    return new TextDecoder().decode(this.#texts.slice(start, start + length));
  }
}
