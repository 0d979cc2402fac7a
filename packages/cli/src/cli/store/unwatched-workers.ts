import type { ChannelRecord } from '../../channel/contract.js';
import { unwatchedWorkersText, type WatchProblem } from '../../model/processes/watch-problem.js';

/** Threads that are kept: a hostile program may name any number. */
const MAX_THREADS = 20_000;

/** The worker threads that the thread which started them has named, and that do not watch themselves. */
export class UnwatchedWorkers {
  /** Of each process, by the id of the thread: whether it watches itself. */
  readonly #watched = new Map<string, Map<number, boolean>>();
  #count = 0;

  note(record: ChannelRecord): void {
    if (record.type !== 'workerStarted' && record.type !== 'workerWatched') return;
    const { type, instance, threadId } = record;
    const threads = this.#watched.get(instance) ?? new Map<number, boolean>();
    if (threads.has(threadId)) threads.set(threadId, threads.get(threadId) === true || type === 'workerWatched');
    else if (this.#count < MAX_THREADS) {
      this.#count += 1;
      this.#watched.set(instance, threads.set(threadId, type === 'workerWatched'));
    }
  }

  get problems(): WatchProblem[] {
    return [...this.#watched].flatMap(([instance, threads]) => {
      const count = [...threads.values()].filter((isWatched) => !isWatched).length;
      return count === 0 ? [] : [{ instance, text: unwatchedWorkersText(count) }];
    });
  }
}
