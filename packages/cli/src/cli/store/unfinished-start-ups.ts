import type { ChannelRecord } from '../../channel/contract.js';
import type { StartUp } from '../../model/types.js';

/** What a process executes: it may put another program in its place. */
export type Execution = 'node' | 'other' | 'none';

/** A main thread that starts up. */
interface Starting {
  readonly sinceMs: number;
  /** The process was last seen alive. */
  untilMs: number;
  /** Its id may be that of another one by now. */
  hasEnded: boolean;
}

/** Processes that are kept: a hostile program may name any number. */
const MAX_PROCESSES = 10_000;

/**
 * The main threads that have not said that their start-up is over. A process that is killed in it cannot say how long it
 * took: what is known is for how long it was seen.
 */
export class UnfinishedStartUps {
  readonly #executionOf: (instance: string) => Execution;
  readonly #starting = new Map<string, Starting>();

  constructor(executionOf: (instance: string) => Execution) {
    this.#executionOf = executionOf;
  }

  note(record: ChannelRecord, nowMs: number): void {
    if (record.type === 'process') this.#begin(record.process.id, nowMs);
    else if (record.type === 'startUp' && record.startUp.threadId === 0) this.#starting.delete(record.startUp.instance);
    else if (record.type === 'end' && record.threadId === 0) this.#starting.delete(record.instance);
  }

  /** Looks which of them run still. */
  look(nowMs: number): void {
    for (const [instance, starting] of this.#starting) {
      if (starting.hasEnded) continue;
      const execution = this.#executionOf(instance);
      if (execution === 'node') starting.untilMs = nowMs;
      else if (execution === 'other') this.#starting.delete(instance);
      else starting.hasEnded = true;
    }
  }

  get all(): StartUp[] {
    return [...this.#starting].map(([instance, { sinceMs, untilMs }]) => ({
      instance,
      threadId: 0,
      threadName: 'main',
      durationMs: Math.round(untilMs - sinceMs),
      isUnfinished: true,
    }));
  }

  #begin(instance: string, nowMs: number): void {
    if (this.#starting.size >= MAX_PROCESSES || this.#executionOf(instance) === 'other') return;
    this.#starting.set(instance, { sinceMs: nowMs, untilMs: nowMs, hasEnded: false });
  }
}
