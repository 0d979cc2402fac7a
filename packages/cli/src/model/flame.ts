import { frameKind, type FrameKind, parseStack, type StackFrame } from './stack.js';
import { durationWithin, type TimeRange } from './time-range.js';
import type { Block } from './types.js';

/** A node of a flame graph; a parent's value includes its children's. */
export interface FlameNode {
  readonly name: string;
  /** ms */
  readonly value: number;
  /** `path:line`, if a stack trace names it. */
  readonly place?: string;
  readonly kind: FrameKind;
  readonly children: readonly FlameNode[];
}

/** Line of a folded stack: `a;b;c N`. Frames may contain spaces; the last word is the time. */
const FOLDED = /^(.*) (\d+(?:\.\d+)?)$/s;
/** Frames shown of a stack, from its root. Bounds the recursion: `serve` accepts stacks of any depth. */
const MAX_DEPTH = 512;

/** Folded stacks as [frames root first, ms]. Malformed lines are ignored. */
export function parseFolded(profile: string): [frames: string[], ms: number][] {
  return profile.split('\n').flatMap((line): [string[], number][] => {
    const match = FOLDED.exec(line.trimEnd());
    const ms = Number(match?.[2]);
    return match && ms <= Number.MAX_SAFE_INTEGER ? [[match[1]!.split(';', MAX_DEPTH), ms]] : [];
  });
}

/**
 * Flame graph of the blocked time. A block's samples are scaled to its duration: widths are blocked time even if a block
 * has few samples. A block without a profile appears as its culprit alone. Of a block that reaches beyond the range, only the
 * part within it counts: no sample has a time, so each of its stacks is scaled.
 */
export function flameGraph(blocks: Iterable<Block>, range?: TimeRange): FlameNode {
  const root: MutableNode = { value: 0, children: new Map() };
  const frames = new Map<string, StackFrame>();
  for (const block of blocks) {
    const share = block.durationMs > 0 ? durationWithin(block, range) / block.durationMs : 0;
    for (const [stack, ms] of stacksOf(block)) addStack(root, stack, ms * share);
    for (const frame of parseStack(block.stackTrace ?? '')) frames.set(frame.functionName, frame);
  }
  return toFlameNode('all', root, frames);
}

/** Stacks of a block; their values add up to its duration. */
export function stacksOf(block: Block): [frames: string[], ms: number][] {
  const folded = block.profile === undefined ? [] : parseFolded(block.profile);
  const sampledMs = folded.reduce((total, [, ms]) => total + ms, 0);
  if (sampledMs === 0) return [[[block.culprit?.functionName ?? `(${block.cause})`], block.durationMs]];
  return folded.map(([frames, ms]) => [frames, (ms / sampledMs) * block.durationMs]);
}

interface MutableNode {
  value: number;
  readonly children: Map<string, MutableNode>;
}

function addStack(root: MutableNode, stack: readonly string[], ms: number): void {
  root.value += ms;
  let node = root;
  for (const name of stack) {
    let child = node.children.get(name);
    if (!child) node.children.set(name, (child = { value: 0, children: new Map() }));
    child.value += ms;
    node = child;
  }
}

function toFlameNode(name: string, node: MutableNode, frames: ReadonlyMap<string, StackFrame>): FlameNode {
  const frame = frames.get(name);
  const children = [...node.children].map(([childName, child]) => toFlameNode(childName, child, frames));
  return {
    name,
    value: node.value,
    ...(frame?.filePath !== undefined && { place: `${frame.filePath}:${frame.lineNumber ?? 0}` }),
    kind: frame ? frameKind(frame) : 'unknown',
    children: children.sort((a, b) => b.value - a.value),
  };
}
