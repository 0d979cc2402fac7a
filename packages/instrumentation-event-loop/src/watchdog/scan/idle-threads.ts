import { openPollState, type PollState, type PollStateReader } from './poll-state.js';
import { SlotInt } from '../../contract/registry-layout.js';
import type { Slot } from '../../contract/registry.js';

/** A thread that is met outside of its poll phase, once, may have been woken just now. It is looked at again so soon, ms. */
export const CONFIRM_MS = 10;

/** Tells a thread that rests from one that is blocked: the one polls, by its own loop's descriptor. */
export class IdleThreads {
  readonly #threads = new Map<number, IdleThread>();
  readonly #open: (osThreadId: number) => PollStateReader;

  constructor(open: (osThreadId: number) => PollStateReader = openPollState) {
    this.#open = open;
  }

  /**
   * A thread wants to rest: learns the descriptor of its loop, the one it is seen to poll by in two turns in which it did
   * nothing else. (`execSync` polls too, by a descriptor of its own.)
   */
  learn(slot: Slot, tickAt: number): void {
    if (slot.getInt(SlotInt.pollDescriptor) !== 0) return;
    const thread = this.#threadOf(slot);
    if (thread.tickAt === tickAt) return;
    const state = thread.poll.read();
    if (state === 'elsewhere') return;
    thread.tickAt = tickAt;
    if (state === 'unseen') slot.setInt(SlotInt.pollDescriptor, -1);
    else if (thread.descriptor === state.descriptor) slot.setInt(SlotInt.pollDescriptor, state.descriptor + 1);
    else thread.descriptor = state.descriptor;
  }

  /** When the thread was last seen polling, on the shared clock; 0 for never. */
  lastIdle(slot: Slot): number {
    return this.#threadOf(slot).idleAt;
  }

  /** Looks where a thread is that rests. */
  look(slot: Slot, tickAt: number, now: number): 'idle' | 'unsure' | 'blocked' {
    const thread = this.#threadOf(slot);
    if (isPollingBy(thread.poll.read(), slot.getInt(SlotInt.pollDescriptor) - 1)) {
      thread.idleAt = now;
      thread.elsewhereAt = undefined;
      return 'idle';
    }
    const wasElsewhere = thread.elsewhereAt === tickAt;
    thread.elsewhereAt = tickAt;
    return wasElsewhere ? 'blocked' : 'unsure';
  }

  /** Forgets the threads that are gone. */
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
  /** The last turn in which it was looked at to learn its descriptor, and what that may be. */
  tickAt = 0;
  descriptor: number | undefined;
  /** When it was last seen polling, on the shared clock. */
  idleAt = 0;
  /** The turn in which it was last met somewhere else. */
  elsewhereAt: number | undefined;

  constructor(generation: number, poll: PollStateReader) {
    this.generation = generation;
    this.poll = poll;
  }
}

function isPollingBy(state: PollState, descriptor: number): boolean {
  return typeof state === 'object' && state.descriptor === descriptor;
}
