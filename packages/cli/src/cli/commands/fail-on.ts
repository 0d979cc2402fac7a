import type { Recording } from '../../model/recording/recording.js';
import { formatMs } from '../../model/text/format.js';
import { functionOfBlock } from '../../model/text/guess.js';
import { formatPlace } from '../../model/text/place.js';
import { printable } from '../terminal/line.js';

/** The threshold of the run: a block that `--fail-on` counts has to be seen, also below the threshold that was asked for. */
export function effectiveThreshold(thresholdMs: number, failOnMs: number | undefined): number {
  return Math.min(thresholdMs, failOnMs ?? Infinity);
}

/** Why `--fail-on` fails the run; undefined when no block was longer than the limit. */
export function failureOf({ blocks, directory }: Recording, limitMs: number): string | undefined {
  const above = blocks.filter((block) => block.durationMs > limitMs);
  if (above.length === 0) return undefined;
  const longest = above.reduce((a, b) => (b.durationMs > a.durationMs ? b : a));
  const by = longest.culprit
    ? ` by ${functionOfBlock(longest)} ${formatPlace(longest.culprit, directory)}`
    : ` (${longest.cause})`;
  const count = above.length === 1 ? 'One block was' : `${above.length} blocks were`;
  return `Failed: ${count} longer than ${formatMs(limitMs)}, the longest ${formatMs(longest.durationMs)}${printable(by)}.`;
}
