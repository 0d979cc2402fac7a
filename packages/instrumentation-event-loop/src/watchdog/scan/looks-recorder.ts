import { SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Slot } from '../../contract/slots.js';
import { openPollState, type PollStateReader } from './poll-state.js';

/** Shortest time between two looks, ms: each reads a file of the kernel. */
const MIN_INTERVAL_MS = 5;

/**
 * Counts how often the kernel shows a stalled thread as asleep. Time off the CPU alone does not prove a sleep: when a
 * hypervisor takes the CPU, the thread is neither on it nor in the run queue.
 */
export class LooksRecorder {
  readonly #slot: Slot;
  readonly #open: (osThreadId: number) => PollStateReader;
  #reader: PollStateReader | undefined;
  #lookedAt = -Infinity;

  constructor(slot: Slot, open: (osThreadId: number) => PollStateReader = openPollState) {
    this.#slot = slot;
    this.#open = open;
  }

  /** A stall begins. `now` is on the shared clock. */
  restart(now: number): void {
    this.#slot.setInt(SlotInt.runnableLooks, 0);
    this.#slot.setInt(SlotInt.sleepingLooks, 0);
    this.#slot.setInt(SlotInt.lockedLooks, 0);
    this.#slot.setTime(SlotTime.looksSince, now);
    this.#lookedAt = -Infinity;
  }

  look(now: number): void {
    if (now - this.#lookedAt < MIN_INTERVAL_MS) return;
    this.#lookedAt = now;
    this.#reader ??= this.#open(this.#slot.getInt(SlotInt.osThreadId));
    const state = this.#reader.read();
    if (state === 'unseen') return;
    this.#count(state === 'running' ? SlotInt.runnableLooks : SlotInt.sleepingLooks);
    if (state === 'lock') this.#count(SlotInt.lockedLooks);
  }

  #count(field: number): void {
    this.#slot.setInt(field, this.#slot.getInt(field) + 1);
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
