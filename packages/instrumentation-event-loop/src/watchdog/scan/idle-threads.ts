import { SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Slot } from '../../contract/slots.js';
import { openPollState, type PollState, type PollStateReader } from './poll-state.js';

/** A thread that is outside of its poll phase may have just been woken: it is looked at again after this time, ms. */
export const CONFIRM_MS = 10;

/** What a thread in idle mode does. `unsure`: it was not seen polling, for the first time in this iteration. */
export type IdleState = 'idle' | 'unsure' | 'blocked';

/** Tells idle threads from blocked ones: an idle thread polls with the descriptor of its own loop. */
export class IdleThreads {
  readonly #threads = new Map<number, IdleThread>();
  readonly #open: (osThreadId: number) => PollStateReader;

  constructor(open: (osThreadId: number) => PollStateReader = openPollState) {
    this.#open = open;
  }

  /**
   * Learns the descriptor of the loop of a thread that wants idle mode: the one with which it polls in two idle
   * iterations. One is not enough, because `execSync` polls too, with a descriptor of its own.
   */
  learn(slot: Slot, tickAt: number): void {
    if (slot.getInt(SlotInt.pollDescriptor) !== 0) return;
    const thread = this.#threadOf(slot);
    if (thread.tickAt === tickAt) return;
    const state = thread.poll.read();
    if (typeof state === 'string' && state !== 'unseen') return;
    thread.tickAt = tickAt;
    if (state === 'unseen') slot.setInt(SlotInt.pollDescriptor, -1);
    else if (thread.descriptor === state.descriptor) slot.setInt(SlotInt.pollDescriptor, state.descriptor + 1);
    else thread.descriptor = state.descriptor;
  }

  /** When the thread was last seen polling, on the shared clock; 0 if never. */
  lastIdle(slot: Slot): number {
    return this.#threadOf(slot).idleAt;
  }

  /** Looks whether a thread in idle mode polls. */
  look(slot: Slot, tickAt: number, now: number): IdleState {
    const thread = this.#threadOf(slot);
    if (isPollingBy(thread.poll.read(), slot.getInt(SlotInt.pollDescriptor) - 1)) {
      thread.idleAt = now;
      slot.setTime(SlotTime.polledAt, now);
      thread.elsewhereAt = undefined;
      return 'idle';
    }
    const wasElsewhere = thread.elsewhereAt === tickAt;
    thread.elsewhereAt = tickAt;
    return wasElsewhere ? 'blocked' : 'unsure';
  }

  /**
   * Whether the thread is outside of its poll phase; undefined where the system does not show it. A thread that is never
   * idle for long does not learn its descriptor. Then it is the smallest one with which it has polled: `execSync` polls
   * with one that was opened later.
   */
  isBusy(slot: Slot): boolean | undefined {
    const thread = this.#threadOf(slot);
    const state = thread.poll.read();
    if (typeof state === 'string') return state === 'unseen' ? undefined : true;
    thread.smallestDescriptor = Math.min(thread.smallestDescriptor, state.descriptor);
    const known = slot.getInt(SlotInt.pollDescriptor) - 1;
    return state.descriptor !== (known >= 0 ? known : thread.smallestDescriptor);
  }

  /** Forgets the threads that have ended. */
  forget(isGone: (slotIndex: number, generation: number) => boolean): void {
    for (const [index, { generation, poll }] of this.#threads) {
      if (!isGone(index, generation)) continue;
      poll.close();
      this.#threads.delete(index);
    }
  }

  #threadOf(slot: Slot): IdleThread {
    const generation = slot.getInt(SlotInt.generation);
    const known = this.#threads.get(slot.index);
    if (known?.generation === generation) return known;
    known?.poll.close();
    const thread = new IdleThread(generation, this.#open(slot.getInt(SlotInt.osThreadId)));
    this.#threads.set(slot.index, thread);
    return thread;
  }
}

class IdleThread {
  readonly generation: number;
  readonly poll: PollStateReader;
  /** Tick of the last iteration in which it polled while its descriptor was unknown. */
  tickAt = 0;
  /** The descriptor with which it polled then. */
  descriptor: number | undefined;
  /** The smallest one with which it has polled. */
  smallestDescriptor = Infinity;
  /** When it was last seen polling, on the shared clock. */
  idleAt = 0;
  /** Tick of the last iteration in which it was seen not polling. */
  elsewhereAt: number | undefined;

  constructor(generation: number, poll: PollStateReader) {
    this.generation = generation;
    this.poll = poll;
  }
}

function isPollingBy(state: PollState, descriptor: number): boolean {
  return typeof state === 'object' && state.descriptor === descriptor;
}
