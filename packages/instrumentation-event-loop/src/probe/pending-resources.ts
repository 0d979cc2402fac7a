import process from 'node:process';

/** Handles that a thread has whatever it does: its channels to other threads and to the terminal. */
const IGNORED_TYPES = new Set(['MessagePort', 'Worker', 'TTYWrap', 'PipeWrap', 'CloseReq']);
const FILE_REQUEST = /^F(SReq|ile)/;

/**
 * What keeps a thread's loop alive and cannot go on while it sleeps.
 *
 * A pool worker falls asleep as soon as it is loaded, and then what its start-up has begun (an SDK that reads the
 * machine's id) is pending as well: the file requests seen at the first sleep count only once they have been done.
 */
export class PendingResources {
  #startUpRequests: ReadonlyMap<string, number> | undefined;

  /** As `Type×N`, in the order of types. */
  read(): readonly string[] {
    const counts = countActive();
    const startUpRequests = this.#startUpRequests ?? new Map([...counts].filter(([type]) => FILE_REQUEST.test(type)));
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

function countActive(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (!IGNORED_TYPES.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}
