import { SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Slot } from '../../contract/slots.js';
import { openCpuSplit, systemShare, type CpuSplit, type CpuSplitReader } from './cpu-split.js';
import { openPollState, type PollStateReader } from './poll-state.js';

/** Shortest time between two looks, ms: each reads two files of the kernel. */
const MIN_INTERVAL_MS = 5;

/**
 * Counts how often the kernel shows a stalled thread as asleep. Time off the CPU alone does not prove a sleep: when a
 * hypervisor takes the CPU, the thread is neither on it nor in the run queue. And records how much of its CPU time the
 * kernel has: calls of the file system are too short to delay an answer.
 */
export class LooksRecorder {
  readonly #slot: Slot;
  readonly #open: (osThreadId: number) => PollStateReader;
  readonly #openSplit: (osThreadId: number) => CpuSplitReader;
  #reader: PollStateReader | undefined;
  #splitReader: CpuSplitReader | undefined;
  #firstSplit: CpuSplit | undefined;
  #lookedAt = -Infinity;

  constructor(slot: Slot, open = openPollState, openSplit = openCpuSplit) {
    this.#slot = slot;
    this.#open = open;
    this.#openSplit = openSplit;
  }

  /** A stall begins. `now` is on the shared clock. */
  restart(now: number): void {
    this.#slot.setInt(SlotInt.runnableLooks, 0);
    this.#slot.setInt(SlotInt.sleepingLooks, 0);
    this.#slot.setInt(SlotInt.lockedLooks, 0);
    this.#slot.setTime(SlotTime.looksSince, now);
    this.#slot.setTime(SlotTime.systemShare, NaN);
    this.#firstSplit = undefined;
    this.#lookedAt = -Infinity;
  }

  look(now: number): void {
    if (now - this.#lookedAt < MIN_INTERVAL_MS) return;
    this.#lookedAt = now;
    const osThreadId = this.#slot.getInt(SlotInt.osThreadId);
    this.#splitReader ??= this.#openSplit(osThreadId);
    const split = this.#splitReader.read();
    this.#firstSplit ??= split;
    this.#slot.setTime(SlotTime.systemShare, systemShare(this.#firstSplit, split));
    this.#reader ??= this.#open(osThreadId);
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
    this.#splitReader?.close();
    this.#splitReader = undefined;
  }
}
