import { functionKey, isOwn, type FrameKind } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { nameableFrames, type NamedFrame } from './nameable-frames.js';
import { sumMs, type Segment } from './segments.js';
import { showsOnlyScheduler } from './visible-frames.js';

export interface Culprit {
  readonly frame: Frame;
  /** Where in the function most time was spent: the frame itself, or that of an inline callback. */
  readonly place: Frame;
  /** The segments that show the culprit. */
  readonly segments: readonly Segment[];
  readonly occurrences: readonly Occurrence[];
  /** The most frequent stack among them. */
  readonly stack: readonly Frame[];
}

/** A segment that shows a function. */
export interface Occurrence extends NamedFrame {
  readonly segment: Segment;
}

/**
 * Finds the deepest function that was on the stack for at least half of the time that the samples show, and of the time
 * before the first question as far as that shows. Application code comes before `node_modules`, `node_modules` before
 * telemetry, and telemetry before Node's own code.
 */
export function findCulprit(segments: readonly Segment[]): Culprit | undefined {
  const kind = kindOfCulprit(segments);
  if (kind === undefined) return undefined;
  const named = segments.map((segment): NamedSegment => {
    return { segment, named: nameableFrames(segment.frames, segment.kinds, kind) };
  });
  const occurrences = mainFunction(named);
  const main = occurrenceOfMainLine(occurrences);
  if (!main) return undefined;
  const { frame, place } = main;
  const culpritSegments = occurrences.map(({ segment }) => segment);
  return { frame, place, segments: culpritSegments, occurrences, stack: mostFrequentStack(culpritSegments) };
}

/** Fewer answers show what ran at one moment or two, and not what ran for half of the block. */
const MIN_ANSWERS = 3;

/** A thread that sleeps in a call is asked once: the answer stands for the sleep, whose time is known. */
export function hasEnoughAnswers(segments: readonly Segment[]): boolean {
  return segments.length >= MIN_ANSWERS || segments.some(({ sample }) => sample.pending !== undefined);
}

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

/**
 * The first of the kinds for which that kind, or one before it, is on the stack for at least half of the time. Stacks
 * that show only a scheduler count where there are no others: of endless microtasks, V8 answers between two of them, too.
 */
function kindOfCulprit(segments: readonly Segment[]): FrameKind | undefined {
  return kindOfMost(segments.filter(({ frames }) => !showsOnlyScheduler(frames))) ?? kindOfMost(segments);
}

function kindOfMost(segments: readonly Segment[]): FrameKind | undefined {
  const firstKind = ({ kinds }: Segment): number => KINDS_IN_ORDER.findIndex((kind) => kinds.includes(kind));
  const known = segments.filter((segment) => firstKind(segment) >= 0);
  const halfMs = sumMs(known, 'shownMs') / 2;
  if (halfMs === 0) return undefined;
  return KINDS_IN_ORDER.find((_, i) => sumMs(known, 'shownMs', (segment) => firstKind(segment) <= i) >= halfMs);
}

/** A segment with the frames that can be the culprit, top first. */
interface NamedSegment {
  readonly segment: Segment;
  readonly named: readonly NamedFrame[];
}

/** The time of one candidate function. */
interface Share {
  /** Time in the function and in the functions that it called. */
  inclusiveMs: number;
  /** Time multiplied by the number of candidates above it: divided by `inclusiveMs`, its mean distance from the top. */
  distanceMs: number;
  /** It is on the stack of the first sample. */
  readonly isFirst: boolean;
  readonly occurrences: Occurrence[];
}

/** Part of the time that the culprit must be on the stack. */
const MAJORITY = 1 / 2;
/** The same where most answers came after a collection: they favour small functions that are called often. */
const MAJORITY_AFTER_COLLECTIONS = 2 / 3;

/**
 * The segments of the deepest function with a majority of the time. Where no function has one, it is the deepest of those
 * that were on the stack for longest, or nearly: of a block of many stages, a stage and not a small function that several of them call.
 */
function mainFunction(segments: readonly NamedSegment[]): readonly Occurrence[] {
  const shares = sharesOf(segments);
  if (shares.length === 0) return [];
  const shown = segments.filter(({ named }) => named.length > 0).map(({ segment }) => segment);
  const shownMs = sumMs(shown, 'shownMs');
  // A function that the first sample does not show had not begun before the first question. One that it shows may have
  // been called again and again, and has its share of that time.
  const beforeMs = shares.some(({ isFirst }) => isFirst) ? shown[0]!.ranMs - shown[0]!.shownMs : 0;
  const ofFirst = (share: Share): number => (share.isFirst && shownMs > 0 ? share.inclusiveMs / shownMs : 0);
  const withAtLeast = (ms: number): readonly Share[] =>
    shares.filter((share) => share.inclusiveMs + beforeMs * ofFirst(share) >= ms);
  const isAfterCollections = sumMs(shown, 'shownMs', isAfterCollection) >= shownMs / 2;
  const parts = isAfterCollections ? [MAJORITY_AFTER_COLLECTIONS, MAJORITY] : [MAJORITY];
  const majority = parts.map((part) => withAtLeast((shownMs + beforeMs) * part)).find(({ length }) => length > 0);
  const candidates = majority ?? longest(shares, beforeMs);
  const depth = ({ inclusiveMs, distanceMs }: Share): number => (inclusiveMs > 0 ? distanceMs / inclusiveMs : Infinity);
  return candidates.reduce((a, b) => (depth(b) < depth(a) ? b : a)).occurrences;
}

/** Share of the longest time from which on a function counts as on the stack for nearly as long. */
const NEARLY = 0.9;

/** Without a majority, what was on the stack at the first question is the best guess for all of the time before it. */
function longest(shares: readonly Share[], beforeMs: number): readonly Share[] {
  const timeOf = ({ inclusiveMs, isFirst }: Share): number => inclusiveMs + (isFirst ? beforeMs : 0);
  const mostMs = Math.max(...shares.map(timeOf));
  return shares.filter((share) => timeOf(share) >= mostMs * NEARLY);
}

/** A collection that delayed an answer by more than this, ms. */
const MIN_COLLECTION_MS = 1;

/** Whether V8 has answered only after a collection: at the next call or end of a loop, not where the garbage was made. */
function isAfterCollection({ isLate, collectedMs }: Segment): boolean {
  return !isLate && collectedMs > MIN_COLLECTION_MS;
}

/** All functions of this package are one candidate: which of them it was says nothing about the application. */
const OWN_KEY = 'own';

function sharesOf(segments: readonly NamedSegment[]): Share[] {
  const shares = new Map<string, Share>();
  for (const [index, { segment, named }] of segments.entries()) {
    named.forEach(({ frame, place }, distance) => {
      const key = isOwn(frame) ? OWN_KEY : functionKey(frame);
      const share = shares.get(key) ?? { inclusiveMs: 0, distanceMs: 0, isFirst: index === 0, occurrences: [] };
      shares.set(key, share);
      if (share.occurrences.at(-1)?.segment === segment) return; // recursion
      share.inclusiveMs += segment.shownMs;
      share.distanceMs += segment.shownMs * distance;
      share.occurrences.push({ segment, frame, place });
    });
  }
  return [...shares.values()];
}

/** The sequence of functions with the most time among the segments, with the frames of its longest one. */
export function mostFrequentStack(segments: readonly Segment[]): readonly Frame[] {
  const shown = segments.filter(({ frames }) => frames.length > 0);
  const stacks: (readonly Frame[])[] = [];
  const same = mostTime(shown, ({ frames }) => {
    const known = stacks.find((stack) => areSameFunctions(stack, frames));
    if (known === undefined) stacks.push(frames);
    return known ?? frames;
  });
  const longest = same.reduce<Segment | undefined>((a, b) => (a && a.shownMs >= b.shownMs ? a : b), undefined);
  return longest?.frames ?? [];
}

function areSameFunctions(a: readonly Frame[], b: readonly Frame[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i] || functionKey(frame) === functionKey(b[i]!));
}

/** The first occurrence of the line with the most time. */
function occurrenceOfMainLine(occurrences: readonly Occurrence[]): Occurrence | undefined {
  const bySegment = new Map(occurrences.map((occurrence) => [occurrence.segment, occurrence]));
  const [first] = mostTime([...bySegment.keys()], (segment) => bySegment.get(segment)?.place.lineNumber);
  return first && bySegment.get(first);
}

/** Type of the asynchronous resource with the most time among the segments. */
export function mainAsyncResource(segments: readonly Segment[]): string {
  const [first] = mostTime(segments, ({ sample }) => sample.asyncResource);
  return first?.sample.asyncResource ?? '';
}

/** The segments of the key with the most time; of the first of them where several have as much. */
function mostTime(segments: readonly Segment[], keyOf: (segment: Segment) => unknown): readonly Segment[] {
  const groups = new Map<unknown, Segment[]>();
  for (const segment of segments) {
    const key = keyOf(segment);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [segment]);
    else group.push(segment);
  }
  let most: readonly Segment[] = [];
  for (const group of groups.values()) if (sumMs(group, 'shownMs') > sumMs(most, 'shownMs')) most = group;
  return most;
}
