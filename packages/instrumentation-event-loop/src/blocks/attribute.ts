import { isOwn } from '../contract/frames.js';
import type { Attribution, ContextSpell, Frame } from '../contract/model.js';
import { findCulpritInSource } from './bundled-packages.js';
import { causeOf, type Measurements } from './cause.js';
import { contextOf, type InfoOf } from './context-spells.js';
import { mainAsyncResource, mostFrequentStack, type Culprit } from './culprit.js';
import { mainContext } from './main-context.js';
import { foldLines } from './culprit-lines.js';
import { foldProfile } from './profile.js';
import { qualityOf } from './quality.js';
import { hasEnoughAnswers } from './shares.js';
import { leftStackMs } from './visible-frames.js';
import { timeOf, type WeightedSample } from './weights.js';

/** The measurements and samples of a block. */
export interface Evidence extends Measurements {
  readonly contexts: readonly ContextSpell[];
  readonly infoOf: InfoOf;
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Finds the code that blocked, and the cause. */
export function attribute({ mapStack, contexts, infoOf, ...measurements }: Evidence): Attribution {
  const { samples } = measurements;
  const leftMs = leftStackMs(samples);
  const main = mainContext(contexts, infoOf, leftMs);
  const isKnown = leftMs === 0;
  const { request } = infoOf(main);
  const isOfRequest = (weighted: WeightedSample): boolean => infoOf(contextOf(weighted, infoOf)).request === request;
  const culprit = isKnown ? findCulpritOf(samples, isOfRequest, mapStack) : undefined;
  // Of the request that took longest, only the ends of its spans are known.
  const isElsewhere = culprit?.samples.some(isOfRequest) === false;
  const quality = isKnown ? qualityOf(samples, culprit) : 'none';
  const stack = culprit?.stack ?? (isKnown ? mostFrequentStack(samples) : []);
  const culpritSamples = new Set(culprit?.samples ?? samples);
  const mapped = culprit && mapWithinStack(culprit.frame, culprit, mapStack);
  const isOwnWork = culprit !== undefined && isOwn(culprit.frame);
  return {
    cause: causeOf(measurements),
    quality: isElsewhere ? 'post_native' : quality,
    culprit: mapped && nameOwnWork(mapped, isOwnWork),
    stack: mapStack(stack),
    profile: isKnown ? foldProfile(samples) : '',
    // Own work is one culprit, but not one function.
    lines: mapped && !isOwnWork ? foldLines(culprit.occurrences, mapped, mapStack) : undefined,
    sampleCount: samples.length,
    asyncResource: mainAsyncResource([...culpritSamples]),
    pending: samples.findLast(({ sample }) => sample.pending !== undefined)?.sample.pending,
    contexts,
    mainContext: main,
  };
}

/** Name of the culprit of a block that this package has caused. */
export const OWN_WORK = "Loopwatch's own work";

/** The user need not know the functions of this package, but must see that the block is not of the application. */
function nameOwnWork(frame: Frame, isOwnFrame: boolean): Frame {
  return isOwnFrame ? { ...frame, functionName: OWN_WORK, functionLineNumber: 0, functionColumnNumber: 0 } : frame;
}

/**
 * Finds the culprit of the request that took longest: the block's function and the block's parent belong together. Where
 * few answers show that request, as one of forty short ones, it is the culprit of all requests in the block, provided
 * that it was on the stack for half of the time of that request.
 */
function findCulpritOf(
  samples: readonly WeightedSample[],
  isOfRequest: (weighted: WeightedSample) => boolean,
  mapStack: Evidence['mapStack'],
): Culprit | undefined {
  const ofRequest = samples.filter(isOfRequest);
  const own = findCulpritInSource(ofRequest, mapStack);
  if (ofRequest.length === samples.length || (own && hasEnoughAnswers(own.samples))) return own;
  const ofAll = findCulpritInSource(samples, mapStack);
  if (own === undefined || ofAll === undefined) return ofAll;
  return timeOf(ofAll.samples, isOfRequest) >= timeOf(ofRequest) / 2 ? ofAll : own;
}

/** Maps the culprit's frame together with its caller: a source map may have the frame's name only in the call. */
function mapWithinStack(
  frame: Frame,
  { samples }: { readonly samples: readonly WeightedSample[] },
  mapStack: Evidence['mapStack'],
): Frame {
  for (const { sample } of samples) {
    const index = sample.frames.indexOf(frame);
    if (index >= 0) return mapStack(sample.frames.slice(index, index + 2))[0] ?? frame;
  }
  return mapStack([frame])[0] ?? frame;
}
