import { formatMs, formatPlace } from '../../model/format.js';
import type { Recording } from '../../model/recording.js';

/** Why `--fail-on` fails the run; undefined when no block was longer than the limit. */
export function failureOf({ blocks, directory }: Recording, limitMs: number): string | undefined {
  const above = blocks.filter((block) => block.durationMs > limitMs);
  if (above.length === 0) return undefined;
  const longest = above.reduce((a, b) => (b.durationMs > a.durationMs ? b : a));
  const by = longest.culprit
    ? ` by ${longest.culprit.functionName} ${formatPlace(longest.culprit, directory)}`
    : ` (${longest.cause})`;
  const count = above.length === 1 ? 'One block was' : `${above.length} blocks were`;
  return `Failed: ${count} longer than ${formatMs(limitMs)}, the longest ${formatMs(longest.durationMs)}${by}.`;
}
