import { frameKind, type FrameKind, parseStack, type StackFrame } from './stack.js';
import { durationWithin, type TimeRange } from './time-range.js';
import type { Block } from './types.js';

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
  const stacks: Stack[] = [];
  const frames = new Map<string, StackFrame>();
  for (const block of blocks) {
    const share = block.durationMs > 0 ? durationWithin(block, range) / block.durationMs : 0;
    for (const [stack, ms] of stacksOf(block)) stacks.push([stack, ms * share]);
    for (const frame of parseStack(block.stackTrace ?? '')) frames.set(frame.functionName, frame);
  }
  return mergeStacks(stacks, (name) => {
    const frame = frames.get(name);
    return {
      name,
      ...(frame?.filePath !== undefined && { place: `${frame.filePath}:${frame.lineNumber ?? 0}` }),
      kind: frame ? frameKind(frame) : 'unknown',
    };
  });
}

/** Frames root first, and ms. */
export type Stack = readonly [frames: readonly string[], ms: number];

/** Adds up stacks that begin with the same frames. `frameOf` describes the frames that the stacks name. */
export function mergeStacks(stacks: Iterable<Stack>, frameOf: (frame: string) => FlameFrame): FlameNode {
  const root: MutableNode = { value: 0, children: new Map() };
  for (const [frames, ms] of stacks) addStack(root, frames, ms);
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

function toFlameNode(frame: FlameFrame, node: MutableNode, frameOf: (frame: string) => FlameFrame): FlameNode {
  const children = [...node.children].map(([name, child]) => toFlameNode(frameOf(name), child, frameOf));
  return { ...frame, value: node.value, children: children.sort((a, b) => b.value - a.value) };
}
