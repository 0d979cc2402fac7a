import { type FlameNode, frameId } from '../../model/stacks/flame.js';

/** Deeper callers are left out: recursion would make the graph as deep as the stack. */
const MAX_CALLERS = 64;

/**
 * The graph seen from its leaves: below the root are the functions that ran themselves, below each its callers. Answers
 * which function took the time, wherever it was called from. The total is the same.
 */
export function reverseFlame(root: FlameNode): FlameNode {
  const reversed = emptyNode(root);
  const visit = (node: FlameNode, callers: readonly FlameNode[]): void => {
    const ownMs = node.value - node.children.reduce((total, { value }) => total + value, 0);
    // A rounding error of the sums is no time of its own.
    if (callers.length > 0 && ownMs > node.value * 1e-9) addChain(reversed, [node, ...callers.slice(0, -1)], ownMs);
    for (const child of node.children) visit(child, [node, ...callers]);
  };
  visit(root, []);
  // The root's own time has no function.
  reversed.value = root.value;
  return toFlameNode(reversed);
}

interface MutableNode {
  readonly node: FlameNode;
  value: number;
  readonly children: Map<string, MutableNode>;
}

function emptyNode(node: FlameNode): MutableNode {
  return { node, value: 0, children: new Map() };
}

/** Adds a leaf with its callers, the nearest first. */
function addChain(root: MutableNode, chain: readonly FlameNode[], ms: number): void {
  let parent = root;
  for (const frame of chain.slice(0, MAX_CALLERS)) {
    const id = frameId(frame);
    let child = parent.children.get(id);
    if (!child) parent.children.set(id, (child = emptyNode(frame)));
    child.value += ms;
    parent = child;
  }
}

function toFlameNode({ node, value, children }: MutableNode): FlameNode {
  return { ...node, value, children: [...children.values()].map(toFlameNode).sort((a, b) => b.value - a.value) };
}
