import { Atomics } from './built-ins.js';
import {
  BYTE_LENGTH,
  Header,
  INT_COUNT,
  SlotInt,
  SlotTime,
  SUSPENSION_COUNT,
  TIME_COUNT,
  TIMES_OFFSET,
} from './registry-layout.js';

/** One thread's place in the registry. */
export interface Slot {
  readonly index: number;
  getInt(field: number): number;
  setInt(field: number, value: number): void;
  /** Adds to the field; returns its value before. */
  addInt(field: number, value: number): number;
  /** Sets the field to 0; returns its value before. */
  takeInt(field: number): number;
  getTime(field: number): number;
  setTime(field: number, value: number): void;
  /** Whether the thread of that generation still has the slot. */
  isLive(generation: number): boolean;
}

/** Reads and writes the slots in the buffer of the process's `Registry`. */
export class Slots {
  readonly buffer: SharedArrayBuffer;
  readonly ints: Int32Array;
  protected readonly times: Float64Array;
  /** Cached, because the watchdog reads them all the time. */
  readonly #slots: Slot[] = [];

  constructor(buffer: SharedArrayBuffer) {
    if (buffer.byteLength !== BYTE_LENGTH) {
      throw new RangeError(`Expected a registry of ${BYTE_LENGTH} bytes, got ${buffer.byteLength}.`);
    }
    this.buffer = buffer;
    this.ints = new Int32Array(buffer, 0, INT_COUNT);
    this.times = new Float64Array(buffer, TIMES_OFFSET, TIME_COUNT);
  }

  /** The slots of live threads, in order of their index. */
  *live(): Generator<Slot> {
    const limit = Atomics.load(this.ints, Header.slotLimit);
    for (let index = 0; index < limit; index++) {
      if (Atomics.load(this.ints, intIndex(index) + SlotInt.state) === 2) yield this.slot(index);
    }
  }

  /** Whether the test is true of a live slot. */
  someLive(test: (slot: Slot) => boolean): boolean {
    const limit = Atomics.load(this.ints, Header.slotLimit);
    for (let index = 0; index < limit; index++) {
      const slot = this.slot(index);
      if (slot.getInt(SlotInt.state) === 2 && test(slot)) return true;
    }
    return false;
  }

  slot(index: number): Slot {
    return (this.#slots[index] ??= this.#makeSlot(index));
  }

  #makeSlot(index: number): Slot {
    const { ints, times } = this;
    const intBase = intIndex(index);
    const timeBase = SUSPENSION_COUNT * 2 + index * SlotTime.length;
    return {
      index,
      getInt: (field) => Atomics.load(ints, intBase + field),
      setInt: (field, value) => void Atomics.store(ints, intBase + field, value),
      addInt: (field, value) => Atomics.add(ints, intBase + field, value),
      takeInt: (field) => Atomics.exchange(ints, intBase + field, 0),
      getTime: (field) => times[timeBase + field] ?? 0,
      setTime: (field, value) => {
        times[timeBase + field] = value;
      },
      isLive: (generation) =>
        Atomics.load(ints, intBase + SlotInt.state) === 2 &&
        Atomics.load(ints, intBase + SlotInt.generation) === generation,
    };
  }
}

/** Index into `ints` of the first field of a slot. */
export function intIndex(slotIndex: number): number {
  return Header.length + slotIndex * SlotInt.length;
}
