import type { ChannelRecord } from '../../channel/contract.js';

/** Processes that are kept: a hostile program may name any number. */
const MAX_PROCESSES = 10_000;

/** What a process does that has begun to end; undefined where the system does not show it. */
export type ExitState = 'ends' | 'stopped' | 'goes_on' | 'ended' | undefined;

/**
 * The processes that have begun to end, by their last record: their main thread calls the listeners of `exit`, and reports
 * no block any more. A program can also emit that event itself and go on: then its loop waits for events again.
 */
export class Exits {
  readonly #stateOf: (instance: string) => ExitState;
  /** When it began to end, by our own clock, ms. */
  readonly #sinceMs = new Map<string, number>();

  constructor(stateOf: (instance: string) => ExitState) {
    this.#stateOf = stateOf;
  }

  note(record: ChannelRecord, nowMs: number): void {
    // Another process may get the id of one that has ended.
    if (record.type === 'process') this.#sinceMs.delete(record.process.id);
    if (record.type !== 'end' || record.threadId !== 0 || this.#sinceMs.size >= MAX_PROCESSES) return;
    this.#sinceMs.set(record.instance, nowMs);
  }

  /** Those that have not ended so far, with the time for which they have been ending, ms. Call it again and again. */
  lasting(nowMs: number): { readonly instance: string; readonly lastsMs: number }[] {
    for (const instance of this.#sinceMs.keys()) {
      const state = this.#stateOf(instance);
      if (state === 'stopped') this.#sinceMs.set(instance, nowMs);
      else if (state !== 'ends') this.#sinceMs.delete(instance);
    }
    return [...this.#sinceMs].map(([instance, sinceMs]) => ({ instance, lastsMs: nowMs - sinceMs }));
  }
}
