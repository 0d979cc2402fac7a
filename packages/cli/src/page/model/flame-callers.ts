import { groupBy } from '../../model/collections.js';
import { type FlameNode, frameId } from '../../model/stacks/flame.js';

/**
 * Removes the frames above the application's code: the dozens of frames of the HTTP server and the framework that every
 * request has. Frames below an application frame stay, and so do stacks without one; the total time is the same.
 */
export function withoutOuterCallers(root: FlameNode): FlameNode {
  return { ...root, children: mergeEqual(root.children.flatMap(hoist)) };
}

function hoist(node: FlameNode): FlameNode[] {
  if (node.kind === 'application' || !containsApplication(node)) return [node];
  const inner = node.children.filter(containsApplication).flatMap(hoist);
  const others = node.children.filter((child) => !containsApplication(child));
  const innerMs = sum(node.children.filter(containsApplication));
  const restMs = node.value - innerMs;
  // The node's own time, and that of callees without application code.
  return restMs > node.value * 1e-9 ? [...inner, { ...node, value: restMs, children: others }] : inner;
}

function containsApplication(node: FlameNode): boolean {
  return node.kind === 'application' || node.children.some(containsApplication);
}

function mergeEqual(nodes: readonly FlameNode[]): FlameNode[] {
  return [...groupBy(nodes, frameId).values()]
    .map((group) =>
      group.length === 1
        ? group[0]!
        : { ...group[0]!, value: sum(group), children: mergeEqual(group.flatMap(({ children }) => children)) },
    )
    .sort((a, b) => b.value - a.value);
}

function sum(nodes: readonly FlameNode[]): number {
  return nodes.reduce((total, { value }) => total + value, 0);
}
