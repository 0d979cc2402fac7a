import { functionKey, isOwn, stackKey, type FrameKind } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { MIN_OBSERVATIONS } from './limits.js';
import { nameableFrames, type NamedFrame } from './nameable-frames.js';
import { heaviest, sumMs, type Segment } from './segments.js';
import { showsOnlyScheduler } from './visible.js';

export interface Culprit {
  readonly frame: Frame;
  /** Where in the function most time was spent: the frame itself, or that of an inline callback. */
  readonly place: Frame;
  /** The frame in the source, at the line of that place. */
  readonly source: Frame;
  /** The segments that show the culprit. */
  readonly segments: readonly Segment[];
  readonly occurrences: readonly Occurrence[];
}

/** A segment that shows a function. */
export interface Occurrence extends NamedFrame {
  readonly segment: Segment;
}

/**
 * Finds the deepest function that was on the stack for at least half of the time that the samples show. Application code
 * comes before `node_modules`, `node_modules` before telemetry, and telemetry before Node's own code.
 */
export function findCulprit(segments: readonly Segment[]): Culprit | undefined {
  // A stack that shows only a scheduler says nothing: V8 answers there after the last native call of a callback, too.
  const kind = kindOfMost(segments.filter(({ frames }) => !showsOnlyScheduler(frames)));
  if (kind === undefined) return undefined;
  const occurrences = mainFunction(
    segments.map((segment) => nameableFrames(segment, kind).map((named) => ({ ...named, segment }))),
  );
  // The first one at the line with the most time.
  const [main] = heaviest(occurrences, ({ place }) => place.lineNumber, msOf);
  if (!main) return undefined;
  const { frame, place, segment } = main;
  const source = sourceOf(segment, frame);
  const { fileName, lineNumber, columnNumber } = sourceOf(segment, place);
  const isElsewhere = place !== frame && fileName === source.fileName;
  return {
    frame,
    place,
    source: isElsewhere ? { ...source, lineNumber, columnNumber } : source,
    segments: occurrences.map((occurrence) => occurrence.segment),
    occurrences,
  };
}

/** The source of a frame that the segment shows. */
export function sourceOf({ frames, source }: Segment, frame: Frame): Frame {
  return source[frames.indexOf(frame)] ?? frame;
}

/**
 * A thread that sleeps in a call is asked once: the answer stands for the sleep, whose time is known. It does not stand for
 * what ran before a short sleep.
 */
export function hasEnoughAnswers(segments: readonly Segment[]): boolean {
  if (segments.length >= MIN_OBSERVATIONS) return true;
  const isAnswered = segments.some(({ sample }) => sample.pending !== undefined);
  return isAnswered && sumMs(segments, 'asleepMs') >= sumMs(segments, 'ms') / 2;
}

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

/** The first of the kinds for which that kind, or one before it, is on the stack for at least half of the time. */
function kindOfMost(segments: readonly Segment[]): FrameKind | undefined {
  const firstKind = ({ kinds }: Segment): number => KINDS_IN_ORDER.findIndex((kind) => kinds.includes(kind));
  const known = segments.filter((segment) => firstKind(segment) >= 0);
  const halfMs = sumMs(known, 'ranMs') / 2;
  return KINDS_IN_ORDER.find((_, i) => sumMs(known, 'ranMs', (segment) => firstKind(segment) <= i) >= halfMs);
}

/** The time of one candidate function. */
interface Share {
  /** Time in the function and in the functions that it called. */
  inclusiveMs: number;
  /** Time multiplied by the number of candidates above it: divided by `inclusiveMs`, its mean distance from the top. */
  distanceMs: number;
  readonly occurrences: Occurrence[];
}

/**
 * Part of the time where most answers came after a collection, as of a serialiser that makes much garbage: V8 answers at
 * the next call then, and favours small functions that are called often.
 */
const PART_AFTER_COLLECTIONS = 2 / 3;

/**
 * The occurrences of the deepest function that was on the stack for at least half of the time. If no function was, the
 * same within the time of the function with the most: in a block of many stages, this names a stage, and not a small
 * function that several of them call.
 */
function mainFunction(stacks: readonly (readonly Occurrence[])[]): readonly Occurrence[] {
  const shares = sharesOf(stacks);
  if (shares.length === 0) return [];
  const segments = stacks.flatMap(([top]) => top?.segment ?? []);
  const ranMs = sumMs(segments, 'ranMs');
  const afterMs = sumMs(segments, 'ranMs', ({ collectedMs }) => collectedMs > 0);
  const part = afterMs >= ranMs / 2 ? PART_AFTER_COLLECTIONS : 1 / 2;
  const main = shares.filter(({ inclusiveMs }) => inclusiveMs >= ranMs * part);
  const depth = ({ inclusiveMs, distanceMs }: Share): number => (inclusiveMs > 0 ? distanceMs / inclusiveMs : Infinity);
  if (main.length > 0) return main.reduce((a, b) => (depth(b) < depth(a) ? b : a)).occurrences;
  const { occurrences } = shares.reduce((a, b) => (b.inclusiveMs > a.inclusiveMs ? b : a));
  const stage = new Set(occurrences.map(({ segment }) => segment));
  return mainFunction(stacks.filter(([top]) => top && stage.has(top.segment)));
}

/** All functions of this package are one candidate: which of them it was says nothing about the application. */
const OWN_KEY = 'own';

function sharesOf(stacks: readonly (readonly Occurrence[])[]): Share[] {
  const shares = new Map<string, Share>();
  for (const stack of stacks) {
    stack.forEach((occurrence, distance) => {
      const { frame, segment } = occurrence;
      const key = isOwn(frame) ? OWN_KEY : functionKey(frame);
      const share = shares.get(key) ?? { inclusiveMs: 0, distanceMs: 0, occurrences: [] };
      shares.set(key, share);
      if (share.occurrences.at(-1)?.segment === segment) return; // recursion
      share.inclusiveMs += segment.ranMs;
      share.distanceMs += segment.ranMs * distance;
      share.occurrences.push(occurrence);
    });
  }
  return [...shares.values()];
}

/** The sequence of functions with the most time among the segments, with the frames of its longest one. */
export function mostFrequentStack(segments: readonly Segment[]): readonly Frame[] {
  const shown = segments.filter(({ frames }) => frames.length > 0);
  const same = heaviest(shown, ({ frames }) => stackKey(frames), ranMsOf);
  return heaviest(same, (segment) => segment, ranMsOf)[0]?.source ?? [];
}

/** Type of the asynchronous resource with the most time among the segments. */
export function mainAsyncResource(segments: readonly Segment[]): string {
  return heaviest(segments, ({ sample }) => sample.asyncResource, ranMsOf)[0]?.sample.asyncResource ?? '';
}

function ranMsOf({ ranMs }: Segment): number {
  return ranMs;
}

function msOf({ segment }: Occurrence): number {
  return segment.ranMs;
}
