import { largest } from '../collections.js';
import { formatMs } from '../text/format.js';
import type { Recording } from './recording.js';

/**
 * How long start-up took, for the terminal and the report: of several processes and threads, the longest. Undefined when
 * it was shorter than the threshold, or when it was counted and so is among the blocks.
 */
export function startUpSentence({ startUp }: Recording, thresholdMs: number): string | undefined {
  const { counted, threads } = startUp ?? { counted: false, threads: [] };
  const longestMs = largest(
    threads.map(({ durationMs }) => durationMs),
    0,
  );
  if (counted || longestMs < thresholdMs) return undefined;
  const isUnfinished = threads.some((thread) => thread.durationMs === longestMs && thread.isUnfinished);
  const where = threads.length > 1 ? ` (the longest of ${threads.length})` : '';
  const length = `${formatMs(longestMs)}${where}`;
  const what = isUnfinished ? `Start-up had not ended after ${length}, and is` : `Start-up took ${length},`;
  return `${what} not counted; --startup counts and names it.`;
}
