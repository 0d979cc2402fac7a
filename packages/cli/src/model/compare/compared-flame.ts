import { type FlameFrame, type FlameNode, mergeStacks, type Stack, stacksOf } from '../stacks/flame.js';
import { frameKind, parseStack } from '../stacks/stack.js';
import type { Block } from '../types.js';
import { checkoutPath } from './checkout-path.js';
import { comparedBlocks, type ComparedRecording, ownMs } from './comparison.js';

/** The flame graphs of both builds; their values are means of a run, so that 5 runs compare with 3. */
export interface ComparedFlames {
  readonly base: FlameNode;
  readonly head: FlameNode;
}

/**
 * Flame graphs of the blocked time that `compareRecordings` compares: their totals are the sums of its culprits. A frame
 * is a function in a file, as a culprit is, in both graphs.
 */
export function comparedFlames(
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
  thresholdMs: number,
): ComparedFlames {
  const sides = [base, head].map((recordings) => recordings.flatMap((recording) => readBlocks(recording, thresholdMs)));
  const [baseBlocks = [], headBlocks = []] = sides;
  // Those of head come last: where a function has moved within its file, its line is that of head.
  const places = placesByName(sides.flat().flatMap((read) => read.places));
  const frames = new Map<string, FlameFrame>();
  const flameOf = (blocks: readonly ReadBlock[], runs: number): FlameNode =>
    mergeStacks(stacksOfRun(blocks, runs, places, frames), (id) => frames.get(id)!);
  return { base: flameOf(baseBlocks, base.length), head: flameOf(headBlocks, head.length) };
}

/** Where a function is. */
interface FramePlace {
  readonly functionName: string;
  /** Does not depend on the checkout. */
  readonly path: string;
  readonly lineNumber: number;
  readonly kind: FlameFrame['kind'];
}

/** By name of the function, then by path. */
type Places = ReadonlyMap<string, ReadonlyMap<string, FramePlace>>;

interface ReadBlock {
  readonly block: Block;
  /** Of the functions in its stack trace. */
  readonly places: readonly FramePlace[];
}

function readBlocks(recording: ComparedRecording, thresholdMs: number): ReadBlock[] {
  return comparedBlocks(recording, thresholdMs).map((block) => ({
    block,
    places: placesOf(block, recording),
  }));
}

function placesOf({ stackTrace = '', culprit }: Block, recording: ComparedRecording): FramePlace[] {
  const frames = [...parseStack(stackTrace), ...(culprit ? [{ ...culprit, isAwait: false, text: '' }] : [])];
  return frames.flatMap((frame): FramePlace[] => {
    const { functionName, filePath, lineNumber = 0 } = frame;
    if (filePath === undefined) return [];
    return [{ functionName, path: checkoutPath(filePath, recording), lineNumber, kind: frameKind(frame) }];
  });
}

/** Of several places in a file, the last. */
function placesByName(places: readonly FramePlace[]): Places {
  const byName = new Map<string, Map<string, FramePlace>>();
  for (const place of places) {
    const known = byName.get(place.functionName) ?? new Map<string, FramePlace>();
    byName.set(place.functionName, known.set(place.path, place));
  }
  return byName;
}

/** Stacks of ids of `frames`; their values add up to the blocked time of a mean run. */
function* stacksOfRun(
  blocks: readonly ReadBlock[],
  runs: number,
  allPlaces: Places,
  frames: Map<string, FlameFrame>,
): Generator<Stack> {
  for (const { block, places } of blocks) {
    if (block.durationMs <= 0) continue;
    const factor = ownMs(block) / block.durationMs / runs;
    const ownPlaces = placesByName(places);
    const idOf = (text: string): string => {
      const name = withoutLine(text);
      // Folded stacks hold names only. Functions of different files can have the same name: the block's own trace knows.
      const path = onlyPath(ownPlaces, name) ?? onlyPath(allPlaces, name);
      const id = path === undefined ? name : `${name} (${path})`;
      if (!frames.has(id)) {
        frames.set(id, frameOf(id, name, path === undefined ? undefined : allPlaces.get(name)?.get(path)));
      }
      return id;
    };
    for (const [names, ms] of stacksOf(block)) yield [names.map(idOf), ms * factor];
  }
}

/** Undefined if no file, or several, have a function of this name. */
function onlyPath(places: Places, name: string): string | undefined {
  const [path, ...others] = places.get(name)?.keys() ?? [];
  return others.length > 0 ? undefined : path;
}

function frameOf(id: string, name: string, place: FramePlace | undefined): FlameFrame {
  if (place === undefined) return { name, kind: 'unknown' };
  return { name, id, place: `${place.path}:${place.lineNumber}`, kind: place.kind };
}

/** Folded stacks name a function without a name by its file and place, and the place moves from build to build. */
function withoutLine(name: string): string {
  return name.replace(/^<anonymous (.*?)(?::\d+){1,2}>$/, '<anonymous $1>');
}
