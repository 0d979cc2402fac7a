import process from 'node:process';

/** Handles that a thread has whatever it does: its channels to other threads and to the terminal. */
const ALWAYS_THERE = new Set(['MessagePort', 'Worker', 'TTYWrap', 'PipeWrap', 'CloseReq']);

/** What keeps the thread's loop alive and cannot go on while it sleeps, as `Type×N`, in the order of types. */
export function pendingResources(): readonly string[] {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (!ALWAYS_THERE.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => `${type}×${count}`);
}
