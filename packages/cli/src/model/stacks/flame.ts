import { MAX_DURATION_MS } from '../rules.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { Block } from '../types.js';
import { frameKind, type FrameKind, parseStack, type StackFrame } from './stack.js';

/** What a flame graph shows of a frame. */
export interface FlameFrame {
  readonly name: string;
  /** Distinguishes functions of the same name; absent where the name identifies the frame. */
  readonly id?: string;
  /** `path:line`, if a stack trace names it. */
  readonly place?: string;
  readonly kind: FrameKind;
}

/** A node of a flame graph of nodes of the type `N`; a parent's value includes its children's. */
export interface FlameTree<N> extends FlameFrame {
  /** ms */
  readonly value: number;
  readonly children: readonly N[];
}

export type FlameNode = FlameTree<FlameNode>;

/** Identifies a frame among those with the same caller. */
export function frameId({ id, name }: FlameFrame): string {
  return id ?? name;
}

/** Line of a folded stack: `a;b;c N`. Frames may contain spaces; the last word is the time. */
const FOLDED = /^(.*) (\d+(?:\.\d+)?)$/s;
/** Frames shown of a stack, from its root. Bounds the recursion: `serve` accepts stacks of any depth. */
const MAX_DEPTH = 512;
/** Frames of a graph. Those of further stacks are added up at the caller that is there already. */
const MAX_NODES = 50_000;

/** Folded stacks as [frames root first, ms]. Malformed lines are ignored. */
export function parseFolded(profile: string): [frames: string[], ms: number][] {
  return profile.split('\n').flatMap((line): [string[], number][] => {
    const match = FOLDED.exec(line.trimEnd());
    const ms = Number(match?.[2]);
    return match && ms <= MAX_DURATION_MS ? [[match[1]!.split(';', MAX_DEPTH), ms]] : [];
  });
}

/**
 * Flame graph of the blocked time. A block's samples are scaled to its duration: widths are blocked time even if a block
 * has few samples. A block without a profile appears as its culprit alone. Of a block that reaches beyond the range, only the
 * part within it counts: no sample has a time, so each of its stacks is scaled.
 */
export function flameGraph(blocks: Iterable<Block>, range?: TimeRange): FlameNode {
  const frames = new Map<string, StackFrame>();
  return mergeStacks(stacksWithin(blocks, range, frames), (name) => {
    const frame = frames.get(name);
    return {
      name,
      ...(frame?.filePath !== undefined && { place: `${frame.filePath}:${frame.lineNumber ?? 0}` }),
      kind: frame ? frameKind(frame) : 'unknown',
    };
  });
}

/** One block after the other: the stacks of all of them would not fit into memory. Notes the frames of their traces. */
function* stacksWithin(
  blocks: Iterable<Block>,
  range: TimeRange | undefined,
  frames: Map<string, StackFrame>,
): Generator<Stack> {
  for (const block of blocks) {
    for (const frame of parseStack(block.stackTrace ?? '')) frames.set(frame.functionName, frame);
    const share = block.durationMs > 0 ? durationWithin(block, range) / block.durationMs : 0;
    for (const [stack, ms] of stacksOf(block)) yield [stack, ms * share];
  }
}

/** Frames root first, and ms. */
export type Stack = readonly [frames: readonly string[], ms: number];

/** Adds up stacks that begin with the same frames. `frameOf` describes the frames that the stacks name. */
export function mergeStacks(stacks: Iterable<Stack>, frameOf: (frame: string) => FlameFrame): FlameNode {
  const root: MutableNode = { value: 0, children: new Map() };
  let left = MAX_NODES;
  for (const [frames, ms] of stacks) left -= addStack(root, frames, ms, left);
  return toFlameNode({ name: 'all', kind: 'unknown' }, root, frameOf);
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

/** Adds at most so many nodes; returns how many. */
function addStack(root: MutableNode, stack: readonly string[], ms: number, maxNodes: number): number {
  root.value += ms;
  let node = root;
  let added = 0;
  for (const name of stack) {
    let child = node.children.get(name);
    if (!child) {
      if (added >= maxNodes) break;
      node.children.set(name, (child = { value: 0, children: new Map() }));
      added += 1;
    }
    child.value += ms;
    node = child;
  }
  return added;
}

function toFlameNode(frame: FlameFrame, node: MutableNode, frameOf: (frame: string) => FlameFrame): FlameNode {
  const children = [...node.children].map(([name, child]) => toFlameNode(frameOf(name), child, frameOf));
  return { ...frame, value: node.value, children: children.sort((a, b) => b.value - a.value) };
}
