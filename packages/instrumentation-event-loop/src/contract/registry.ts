import { TextDecoder, TextEncoder } from 'node:util';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import {
  BYTE_LENGTH,
  HANG_ID_BYTES,
  HANG_IDS_OFFSET,
  Header,
  NAME_BYTES,
  NAMES_OFFSET,
  REGISTRY_KEY,
  SLOT_COUNT,
  SlotInt,
  SlotTime,
  SUSPENSION_COUNT,
} from './registry-layout.js';
import { Atomics, isSharedArrayBuffer, Math } from './built-ins.js';
import { intIndex, Slots, type Slot } from './slots.js';

const HEX_DIGITS = '0123456789abcdef';
const TRACE_ID_BYTES = 16;

const CLEARED_FIELDS = [
  SlotInt.osThreadId,
  SlotInt.idleMode,
  SlotInt.pollDescriptor,
  SlotInt.sleep,
  SlotInt.question,
  SlotInt.runnableLooks,
  SlotInt.sleepingLooks,
  SlotInt.lockedLooks,
  SlotInt.ending,
  SlotInt.arrivals,
] as const;

/** That of the registry that this thread has made: one that is monitored again has the same watchdog. */
let lastBuffer: SharedArrayBuffer | undefined;

/**
 * One `SharedArrayBuffer` by which the threads of a process find each other, because a blocked thread handles no
 * messages. Node's environment data gives it to every worker. Each instrumented thread claims a slot and writes its
 * ticks there; the watchdog reads all slots.
 */
export class Registry extends Slots {
  readonly #names: Uint8Array;
  readonly #hangIds: Uint8Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTE_LENGTH)) {
    super(buffer);
    this.#names = new Uint8Array(buffer, NAMES_OFFSET, SLOT_COUNT * NAME_BYTES);
    this.#hangIds = new Uint8Array(buffer, HANG_IDS_OFFSET);
  }

  /** The process's registry. The first thread that calls this creates it, and must do so before it starts a worker. */
  static ofProcess(): Registry {
    const known = getEnvironmentData(REGISTRY_KEY);
    if (isSharedArrayBuffer(known)) return new Registry(known);
    const registry = new Registry(lastBuffer);
    lastBuffer = registry.buffer;
    setEnvironmentData(REGISTRY_KEY, registry.buffer);
    return registry;
  }

  /** Called when this thread is no longer monitored: removes the environment data, unless other threads are monitored. */
  forget(): void {
    const isUsed = this.live().next().done !== true;
    if (!isUsed && getEnvironmentData(REGISTRY_KEY) === this.buffer) setEnvironmentData(REGISTRY_KEY, undefined);
  }

  /** Takes a free slot; undefined when all are taken. */
  claim(threadId: number, threadName: string): Slot | undefined {
    for (let index = 0; index < SLOT_COUNT; index++) {
      const slot = this.slot(index);
      const state = intIndex(index) + SlotInt.state;
      if (Atomics.compareExchange(this.ints, state, 0, 1) !== 0) continue;
      for (let field = 0; field < SlotTime.length; field++) slot.setTime(field, 0);
      slot.setInt(SlotInt.threadId, threadId);
      for (let i = 0; i < CLEARED_FIELDS.length; i++) slot.setInt(CLEARED_FIELDS[i]!, 0);
      Atomics.add(this.ints, intIndex(index) + SlotInt.generation, 1);
      const { written } = new TextEncoder().encodeInto(
        threadName,
        this.#names.subarray(index * NAME_BYTES, (index + 1) * NAME_BYTES),
      );
      slot.setInt(SlotInt.nameLength, written);
      this.#raiseSlotLimit(index + 1);
      slot.setInt(SlotInt.state, 2);
      return slot;
    }
    return undefined;
  }

  /**
   * Frees the slot of a thread. The thread calls this when it ends, the watchdog when the thread was terminated. Does
   * nothing when another thread has claimed the slot since.
   */
  release(slot: Slot, threadId: number): void {
    const state = intIndex(slot.index) + SlotInt.state;
    if (Atomics.compareExchange(this.ints, state, 2, 1) !== 2) return;
    if (slot.getInt(SlotInt.threadId) !== threadId) {
      Atomics.store(this.ints, state, 2);
      return;
    }
    slot.setTime(SlotTime.tickAt, 0);
    this.takeHangId(slot);
    Atomics.store(this.ints, state, 0);
  }

  /** Stores which span has reported the thread's block: the bytes of its trace id and span id. */
  setHangId(slot: Slot, ids: Uint8Array): void {
    this.#hangIds.set(ids.subarray(0, HANG_ID_BYTES), slot.index * HANG_ID_BYTES);
  }

  /** Returns the ids of the thread's last hang report in hex and deletes them; undefined when there are none. */
  takeHangId(slot: Slot): { traceId: string; spanId: string } | undefined {
    const start = slot.index * HANG_ID_BYTES;
    let traceId = '';
    let spanId = '';
    let isSet = false;
    for (let i = 0; i < HANG_ID_BYTES; i++) {
      const byte = this.#hangIds[start + i]!;
      const hex = HEX_DIGITS[byte >> 4]! + HEX_DIGITS[byte & 15]!;
      if (i < TRACE_ID_BYTES) traceId += hex;
      else spanId += hex;
      if (byte === 0) continue;
      isSet = true;
      this.#hangIds[start + i] = 0;
    }
    return isSet ? { traceId, spanId } : undefined;
  }

  /** Whether the thread with that id has a slot. */
  hasThread(threadId: number): boolean {
    return this.someLive((slot) => slot.getInt(SlotInt.threadId) === threadId);
  }

  nameOf(slot: Slot): string {
    const start = slot.index * NAME_BYTES;
    // A copy: TextDecoder does not take shared memory.
    return new TextDecoder().decode(this.#names.slice(start, start + slot.getInt(SlotInt.nameLength)));
  }

  /** Stores a time in which the process was suspended, on the shared clock. Only the watchdog calls this. */
  addSuspension(start: number, end: number): void {
    const count = Atomics.load(this.ints, Header.suspensionCount);
    const at = (count % SUSPENSION_COUNT) * 2;
    this.times[at] = start;
    this.times[at + 1] = end;
    Atomics.store(this.ints, Header.suspensionCount, count + 1);
  }

  /** The last times in which the process was suspended, on the shared clock. */
  suspensions(): { start: number; end: number }[] {
    const count = Math.min(Atomics.load(this.ints, Header.suspensionCount), SUSPENSION_COUNT);
    const suspensions: { start: number; end: number }[] = [];
    for (let i = 0; i < count; i++) {
      suspensions[i] = { start: this.times[i * 2] ?? 0, end: this.times[i * 2 + 1] ?? 0 };
    }
    return suspensions;
  }

  #raiseSlotLimit(limit: number): void {
    let expected = Atomics.load(this.ints, Header.slotLimit);
    while (expected < limit) {
      const current = Atomics.compareExchange(this.ints, Header.slotLimit, expected, limit);
      if (current === expected) return;
      expected = current;
    }
  }
}
