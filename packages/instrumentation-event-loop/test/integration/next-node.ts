import path from 'node:path';

import { Asking, Header } from '../../src/contract/registry-layout.ts';

const preload = path.join(import.meta.dirname, 'fixtures/next-node.cjs');

/**
 * Flags and environment of a Node.js in which V8 evaluates nothing in an interrupt. `isKnown`: the watchdog knows that
 * from the first block on, so that it stops threads at once.
 */
export function nextNode({ isKnown = false, how = 'holds' } = {}): {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  return {
    flags: ['--require', preload],
    env: { NEXT_NODE: how, ...(isKnown && { NEXT_NODE_ASKING: `${Header.asking}:${Asking.byPause}` }) },
  };
}
