import { type FlameNode, type FlameTree, frameId } from '../stacks/flame.js';
import type { ComparedFlames } from './compared-flame.js';

/** Which build gives the frames their width. */
export type SizedBy = 'base' | 'head';

/** A frame of both builds. Its `value` is that of the build that gives the frames their width. */
export interface DifferenceNode extends FlameTree<DifferenceNode> {
  /** ms of a run; 0 where the build has no such frame. */
  readonly baseMs: number;
  readonly headMs: number;
}

/** Joins the graphs of two builds frame by frame. A frame that one of them lacks is there with a time of 0. */
export function flameDifference({ base, head }: ComparedFlames, sizedBy: SizedBy): DifferenceNode {
  return join(base, head, sizedBy);
}

function join(base: FlameNode | undefined, head: FlameNode | undefined, sizedBy: SizedBy): DifferenceNode {
  const { value: _value, children: _children, ...frame } = (head ?? base)!;
  const [baseMs, headMs] = [base?.value ?? 0, head?.value ?? 0];
  const baseChildren = new Map(base?.children.map((child) => [frameId(child), child]));
  const headChildren = new Map(head?.children.map((child) => [frameId(child), child]));
  const ids = new Set([...headChildren.keys(), ...baseChildren.keys()]);
  const children = [...ids].map((id) => join(baseChildren.get(id), headChildren.get(id), sizedBy));
  return {
    ...frame,
    value: sizedBy === 'base' ? baseMs : headMs,
    baseMs,
    headMs,
    // The order does not depend on the widths: frames stay where they are when the widths change.
    children: children.sort((a, b) => largerMs(b) - largerMs(a)),
  };
}

function largerMs({ baseMs, headMs }: DifferenceNode): number {
  return Math.max(baseMs, headMs);
}
