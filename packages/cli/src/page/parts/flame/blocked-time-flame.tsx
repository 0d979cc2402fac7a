import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';

import type { FlameNode } from '../../../model/stacks/flame.js';
import { FlameGraph } from './flame-graph.js';
import { BLOCKED_TIME } from './flame-look.js';
import type { KeptFlameState } from './flame-state.js';

interface BlockedTimeFlameProps {
  root: FlameNode;
  highlight?: string | undefined;
  kept?: KeptFlameState;
}

/** Flame graph of the blocked time. */
export function BlockedTimeFlame({ root, highlight, kept }: BlockedTimeFlameProps): JSX.Element {
  const draw = useCallback((view: (graph: FlameNode) => FlameNode) => view(root), [root]);
  return <FlameGraph draw={draw} look={BLOCKED_TIME} highlight={highlight} kept={kept} />;
}
