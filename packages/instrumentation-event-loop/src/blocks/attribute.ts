import { isOwn, stackKey } from '../contract/frames.js';
import type { Attribution, ContextInterval, Frame } from '../contract/model.js';
import { findCulpritInSource } from './bundled-packages.js';
import { causeOf, type Measurements } from './cause.js';
import { contextOf, mainContext, type InfoOf } from './contexts.js';
import { hasEnoughAnswers, mainAsyncResource, mostFrequentStack, type Culprit } from './culprit.js';
import { foldLines, foldProfile } from './profile.js';
import { qualityOf, type JudgedQuality } from './quality.js';
import { sumMs, type Segment } from './segments.js';

/** The timeline of a block: its segments, contexts and measured times. */
export interface Timeline extends Measurements {
  readonly contexts: readonly ContextInterval[];
  readonly infoOf: InfoOf;
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
  /** The watchdog has asked for the first time when most of the block was over. */
  readonly beganUnwatched: boolean;
}

/** Finds the code that blocked, and the cause. */
export function attribute(timeline: Timeline): Attribution {
  const { segments, contexts, infoOf, mapStack } = timeline;
  const { cause, because, isElsewhere: sleptElsewhere = false } = causeOf(timeline);
  const leftMs = leftStackMs(segments);
  const main = mainContext(contexts, infoOf, leftMs);
  const isKnown = leftMs === 0 && !sleptElsewhere;
  const { request } = infoOf(main);
  const isOfRequest = (segment: Segment): boolean => infoOf(contextOf(segment, infoOf)).request === request;
  const culprit = isKnown ? findCulpritOf(segments, isOfRequest, mapStack) : undefined;
  const mapped = culprit && mapCulprit(culprit, mapStack);
  const { quality, guess }: JudgedQuality = isKnown
    ? qualityOf({ segments, culprit, mapped, isOfRequest, beganUnwatched: timeline.beganUnwatched })
    : { quality: 'none' };
  const isOwnWork = culprit !== undefined && isOwn(culprit.frame);
  return {
    cause,
    because: guess === undefined ? because : `${because}; guess: ${guess}`,
    quality,
    culprit: mapped && nameOwnWork(mapped, isOwnWork),
    stack: mapStack(culprit?.stack ?? (isKnown ? mostFrequentStack(segments) : [])),
    profile: isKnown ? foldProfile(inSource(segments, mapStack)) : '',
    // Own work is one culprit, but not one function. Lines of compiled code are not those of the file.
    lines:
      mapped && !isOwnWork && mapped.isCompiled !== true ? foldLines(culprit.occurrences, mapped, mapStack) : undefined,
    sampleCount: segments.length,
    asyncResource: mainAsyncResource(culprit?.segments ?? segments),
    pending: segments.findLast(({ sample }) => sample.pending !== undefined)?.sample.pending,
    contexts,
    mainContext: main,
  };
}

/** The segments with the functions of the source: each stack of functions is mapped once. */
function inSource(segments: readonly Segment[], mapStack: Timeline['mapStack']): Segment[] {
  const mapped = new Map<string, readonly Frame[]>();
  return segments.map((segment) => {
    const key = stackKey(segment.frames);
    const frames = mapped.get(key) ?? mapStack(segment.frames);
    mapped.set(key, frames);
    return { ...segment, frames };
  });
}

/**
 * Time of the longest call from which V8 answered late, where that is longer than all that answers show: it is none that
 * they show, but of code that had left the stack. Else 0.
 */
function leftStackMs(segments: readonly Segment[]): number {
  const longestMs = Math.max(0, ...segments.filter(({ isLate }) => isLate).map(({ ranMs }) => ranMs));
  return longestMs > sumMs(segments, 'ranMs', ({ frames }) => frames.length > 0) ? longestMs : 0;
}

/** Name of the culprit of a block that this package has caused. */
const OWN_WORK = "Loopwatch's own work";

/** The user need not know the functions of this package, but must see that the block is not of the application. */
export function nameOwnWork(frame: Frame, isOwnFrame: boolean): Frame {
  return isOwnFrame ? { ...frame, functionName: OWN_WORK, functionLineNumber: 0, functionColumnNumber: 0 } : frame;
}

/**
 * Finds the culprit of the request that took longest: the block's function and the block's parent belong together. Where
 * few answers show that request, as one of forty short ones, it is the culprit of all requests in the block, provided
 * that it was on the stack for half of the time of that request.
 */
function findCulpritOf(
  segments: readonly Segment[],
  isOfRequest: (segment: Segment) => boolean,
  mapStack: Timeline['mapStack'],
): Culprit | undefined {
  const ofRequest = segments.filter(isOfRequest);
  const own = findCulpritInSource(ofRequest, mapStack);
  if (own && hasEnoughAnswers(own.segments)) return own;
  const ofAll = findCulpritInSource(segments, mapStack);
  const isMost = sumMs(ofAll?.segments ?? [], 'ranMs', isOfRequest) >= sumMs(ofRequest, 'ranMs') / 2;
  return isMost ? ofAll : (own ?? ofAll);
}

/** The culprit's frame in the source, with the line of the inline callback that has the time. */
function mapCulprit(culprit: Culprit, mapStack: Timeline['mapStack']): Frame {
  const frame = mapWithinStack(culprit, mapStack);
  if (culprit.place === culprit.frame) return frame;
  const { fileName, lineNumber, columnNumber } = mapStack([culprit.place])[0] ?? culprit.place;
  return fileName === frame.fileName ? { ...frame, lineNumber, columnNumber } : frame;
}

/** Maps the culprit's frame together with its caller: a source map may have the frame's name only in the call. */
function mapWithinStack({ frame, segments }: Culprit, mapStack: Timeline['mapStack']): Frame {
  for (const { sample } of segments) {
    const index = sample.frames.indexOf(frame);
    if (index >= 0) return mapStack(sample.frames.slice(index, index + 2))[0] ?? frame;
  }
  return mapStack([frame])[0] ?? frame;
}
