import process from 'node:process';

/** Resources that a thread has without pending work: its channels to other threads and to the terminal. */
const IGNORED_TYPES = new Set(['MessagePort', 'Worker', 'TTYWrap', 'PipeWrap', 'CloseReq']);
const FILE_REQUESTS = ['FSReq', 'File'];
/** Stands for the request in whose span the thread sleeps. */
const SPAN_TYPE = 'Span';
const IMMEDIATE_TYPE = 'Immediate';
const TIMER_TYPE = 'Timeout';

/** What the thread does, and what is this package's own. */
export interface Surroundings {
  /** The thread sleeps in a span that has not ended. */
  readonly isInOpenSpan: boolean;
  /** The thread sleeps in the callback of a timer that is not pending any more. */
  readonly isInEndedTimer: boolean;
  /** How many of the immediates are of this package. */
  readonly ownImmediates: number;
}

/**
 * Reads the work that cannot continue while a thread sleeps: its active resources, and the request that is active.
 *
 * A pool worker falls asleep at the end of its start-up, while requests of that start-up are still pending, for example
 * an SDK that reads the machine's id. So file requests that are pending at the first sleep are subtracted until they
 * complete.
 */
export class PendingResources {
  #startUpRequests: ReadonlyMap<string, number> | undefined;

  /** The pending work as `Type×N`, sorted by type. */
  read({ isInOpenSpan, isInEndedTimer, ownImmediates }: Surroundings): readonly string[] {
    const counts = countActive();
    counts.set(IMMEDIATE_TYPE, (counts.get(IMMEDIATE_TYPE) ?? 0) - ownImmediates);
    if (isInEndedTimer) counts.set(TIMER_TYPE, (counts.get(TIMER_TYPE) ?? 0) - 1);
    if (isInOpenSpan) counts.set(SPAN_TYPE, 1);
    const startUpRequests = this.#startUpRequests ?? new Map([...counts].filter(([type]) => isFileRequest(type)));
    this.#startUpRequests = new Map(
      [...startUpRequests].map(([type, count]) => [type, Math.min(count, counts.get(type) ?? 0)]),
    );
    return [...counts]
      .map(([type, count]) => [type, count - (this.#startUpRequests?.get(type) ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([type, count]) => `${type}×${count}`);
  }
}

function isFileRequest(type: string): boolean {
  return FILE_REQUESTS.some((start) => type.startsWith(start));
}

function countActive(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (!IGNORED_TYPES.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}
