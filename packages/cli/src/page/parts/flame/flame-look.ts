import type { FlameNode } from '../../../model/stacks/flame.js';
import { formatMs, formatShare } from '../../../model/text/format.js';

/** What a flame graph says of its frames, in colours and in words. */
export interface FlameLook<N> {
  /** The whole: what the widths are parts of. */
  readonly whole: string;
  /** Whether the places are relative paths already. */
  readonly hasShortPlaces?: boolean;
  readonly classOf: (node: N) => string;
  /** Behind the name, in the frame itself. */
  readonly labelEnd?: (node: N) => string | undefined;
  /** What is known of a frame besides its name and place. */
  readonly facts: (node: N, root: N) => readonly string[];
  /** The same, of all frames that a search has found. */
  readonly found: (nodes: readonly N[], root: N) => readonly string[];
}

/** Blocked time, coloured by the origin of the code. */
export const BLOCKED_TIME: FlameLook<FlameNode> = {
  whole: 'All blocked time',
  classOf: ({ kind }) => kind,
  facts: ({ value }, root) => timeFacts(value, root),
  found: (nodes, root) =>
    timeFacts(
      nodes.reduce((total, { value }) => total + value, 0),
      root,
    ),
};

/** Busy time, coloured in the same way. */
export const BUSY_TIME: FlameLook<FlameNode> = { ...BLOCKED_TIME, whole: 'All busy time' };

function timeFacts(ms: number, root: FlameNode): string[] {
  return [formatMs(ms), formatShare(root.value > 0 ? ms / root.value : 0)];
}
