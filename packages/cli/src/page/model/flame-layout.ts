import { hierarchy, partition } from 'd3-hierarchy';

import { type FlameFrame, type FlameTree, frameId } from '../../model/stacks/flame.js';

/** A frame of the flame graph with its position: left and width as shares of the whole, depth from the root. */
export interface FlameBox<N extends FlameFrame = FlameFrame> {
  readonly path: string;
  readonly parentPath: string | undefined;
  readonly node: N;
  readonly left: number;
  readonly width: number;
  readonly depth: number;
}

/** Narrower boxes are too small to see or click. */
const MIN_WIDTH = 0.0015;

/** Lays out the graph so that the zoomed node and its ancestors fill the width. */
export function layoutFlame<N extends FlameTree<N>>(root: N, zoomPath: string | undefined): FlameBox<N>[] {
  // A node's value already includes its children's; `hierarchy().sum()` would add them again.
  const tree = partition<N>()(
    hierarchy(root).each((node) => {
      (node as { value?: number }).value = node.data.value;
    }),
  );
  const paths = new Map<unknown, string>();
  tree.each((node) => {
    const { parent } = node;
    paths.set(node, parent ? `${paths.get(parent)!}\n${frameId(node.data)}` : '');
  });
  // A frame that only the other build has is there, without a width.
  const zoomed = tree.find((node) => paths.get(node) === zoomPath && node.x1 > node.x0) ?? tree;
  const scale = 1 / Math.max(zoomed.x1 - zoomed.x0, 1e-12);
  return tree.descendants().flatMap((node) => {
    const left = Math.max(0, (node.x0 - zoomed.x0) * scale);
    const right = Math.min(1, (node.x1 - zoomed.x0) * scale);
    if (right - left < MIN_WIDTH) return [];
    return {
      path: paths.get(node)!,
      parentPath: node.parent ? paths.get(node.parent) : undefined,
      node: node.data,
      left,
      width: right - left,
      depth: node.depth,
    };
  });
}

/** The box that an arrow key moves to: up to the caller, down to a callee, left and right within the row. */
export function neighbour<N extends FlameFrame>(
  boxes: readonly FlameBox<N>[],
  current: FlameBox<N>,
  key: string,
): FlameBox<N> | undefined {
  const row = boxes.filter((box) => box.depth === current.depth).sort((a, b) => a.left - b.left);
  const index = row.indexOf(current);
  switch (key) {
    case 'ArrowUp':
      return boxes.find((box) => box.path === current.parentPath);
    case 'ArrowDown':
      return boxes.find((box) => box.parentPath === current.path);
    case 'ArrowLeft':
      return row[index - 1];
    case 'ArrowRight':
      return row[index + 1];
    default:
      return undefined;
  }
}
