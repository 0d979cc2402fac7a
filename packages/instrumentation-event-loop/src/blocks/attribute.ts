import { functionKey, isOwn } from '../contract/frames.js';
import type { Attribution, ContextInterval, Frame } from '../contract/model.js';
import { causeOf, type Measurements } from './cause.js';
import { contextOf, mainContext, type InfoOf } from './contexts.js';
import { findCulprit, hasEnoughAnswers, mainAsyncResource, mostFrequentStack, type Culprit } from './culprit.js';
import { foldLines, foldProfile } from './profile.js';
import { qualityOf } from './quality.js';
import { sumMs, type Segment } from './segments.js';

/** The timeline of a block: its segments, contexts and measured times. */
export interface Timeline extends Measurements {
  readonly contexts: readonly ContextInterval[];
  readonly infoOf: InfoOf;
  /** The watchdog has asked for the first time when most of the block was over. */
  readonly beganUnwatched: boolean;
}

/** Finds the code that blocked, and the cause. */
export function attribute(timeline: Timeline): Attribution {
  const { segments, contexts, infoOf, beganUnwatched } = timeline;
  const { cause, because, isElsewhere = false } = causeOf(timeline);
  const leftMs = leftStackMs(segments);
  const main = mainContext(contexts, infoOf, leftMs);
  const { request } = infoOf(main);
  const requestOf = (segment: Segment): unknown => infoOf(contextOf(segment, infoOf)).request;
  const isOfRequest = (segment: Segment): boolean => requestOf(segment) === request;
  // Where what blocked is not what answered, the answers show nothing.
  const shown = isElsewhere || leftMs > 0 ? [] : segments;
  const culprit = findCulpritOf(shown, request, requestOf);
  const { quality, guess } = qualityOf({ segments: shown, culprit, isOfRequest, beganUnwatched });
  const isOwnWork = culprit !== undefined && isOwn(culprit.frame);
  // Own work is one culprit, but not one function. Lines of compiled code are not those of the file.
  const hasLines = culprit !== undefined && !isOwnWork && culprit.source.isCompiled !== true;
  return {
    cause,
    because: guess === undefined ? because : `${because}; guess: ${guess}`,
    quality,
    culprit: culprit && nameOwnWork(culprit.source, isOwnWork),
    stack: mostFrequentStack(culprit?.segments ?? shown),
    profile: foldProfile(shown),
    lines: hasLines ? foldLines(culprit) : undefined,
    sampleCount: segments.length,
    asyncResource: mainAsyncResource(culprit?.segments ?? segments),
    pending: segments.findLast(({ sample }) => sample.pending !== undefined)?.sample.pending,
    contexts,
    mainContext: main,
  };
}

/**
 * Time of the longest call from which V8 answered late, where that is longer than all that answers show. Such a call is of
 * code that had left the stack, and not of what they show. Else 0.
 */
function leftStackMs(segments: readonly Segment[]): number {
  const longestMs = Math.max(0, ...segments.filter(({ isLate }) => isLate).map(({ ranMs }) => ranMs));
  return longestMs > sumMs(segments, 'ranMs', ({ frames }) => frames.length > 0) ? longestMs : 0;
}

/** The culprit of what this package has caused, where none of its functions is known. */
export const OWN_WORK: Frame = {
  functionName: "Loopwatch's own work",
  fileName: '',
  lineNumber: 0,
  columnNumber: 0,
  functionLineNumber: 0,
  functionColumnNumber: 0,
  isAsync: false,
};

/** The user need not know the functions of this package, but must see that the block is not of the application. */
export function nameOwnWork(frame: Frame, isOwnFrame: boolean): Frame {
  if (!isOwnFrame) return frame;
  return { ...frame, functionName: OWN_WORK.functionName, functionLineNumber: 0, functionColumnNumber: 0 };
}

/**
 * Finds the culprit of the request that took longest: the block's function and the block's parent belong together. Few
 * answers may show that request, as one of forty short ones. Then it is the culprit of all requests in the block, provided
 * that it was on the stack for half of the time of that request.
 */
function findCulpritOf(
  segments: readonly Segment[],
  request: unknown,
  requestOf: (segment: Segment) => unknown,
): Culprit | undefined {
  const isOfRequest = (segment: Segment): boolean => requestOf(segment) === request;
  const ofRequest = segments.filter(isOfRequest);
  const own = findCulprit(ofRequest);
  if (own && hasEnoughAnswers(own.segments)) return own;
  const ofAll = culpritOfAll(segments, requestOf);
  const isMost = sumMs(ofAll?.segments ?? [], 'ranMs', isOfRequest) >= sumMs(ofRequest, 'ranMs') / 2;
  return isMost ? ofAll : (own ?? ofAll);
}

/**
 * Finds the culprit of all requests in the block. Where enough answers of one of them show another function, that one is
 * known to have done something else: what it shares with the others is a caller, such as the handler of all requests.
 */
function culpritOfAll(segments: readonly Segment[], requestOf: (segment: Segment) => unknown): Culprit | undefined {
  const ofAll = findCulprit(segments);
  const isOfAnother = (request: unknown): boolean => {
    const culprit = findCulprit(segments.filter((segment) => requestOf(segment) === request));
    if (!ofAll || !culprit || !hasEnoughAnswers(culprit.segments)) return false;
    return functionKey(culprit.frame) !== functionKey(ofAll.frame);
  };
  const others = new Set([...new Set(segments.map(requestOf))].filter(isOfAnother));
  return others.size === 0 ? ofAll : findCulprit(segments.filter((segment) => !others.has(requestOf(segment))));
}
