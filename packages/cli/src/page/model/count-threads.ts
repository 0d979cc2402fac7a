import type { BlockRow } from '../../model/live/page.js';
import { threadKey } from '../../model/thread-key.js';
import type { LagPoint } from '../../model/types.js';

/** Number of threads that blocked or whose lag was measured. Lag has names only: threads of one name count once there. */
export function countThreads(blocks: readonly BlockRow[], lag: readonly LagPoint[]): number {
  const blocked = new Set(blocks.map(({ instance, threadId }) => `${instance}\n${threadId}`));
  const blockedNames = new Set(blocks.map(threadKey));
  const measuredNames = new Set(lag.map(threadKey));
  return blocked.size + [...measuredNames].filter((name) => !blockedNames.has(name)).length;
}
