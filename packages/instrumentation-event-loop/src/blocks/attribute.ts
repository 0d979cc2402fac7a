import type { Attribution, BlockTimes, ContextSpell, Frame, Quality } from '../contract/model.js';
import { causeOf } from './cause.js';
import type { InfoOf } from './context-spells.js';
import { findCulprit, mainAsyncResource, mostFrequentStack, type Culprit } from './culprit.js';
import { mainContext } from './main-context.js';
import { foldProfile } from './profile.js';
import type { WeightedSample } from './weights.js';

/** The measurements and samples of a block. */
export interface Evidence {
  /** Duration of the block without excluded intervals. */
  readonly durationMs: number;
  readonly times: BlockTimes;
  readonly samples: readonly WeightedSample[];
  readonly contexts: readonly ContextSpell[];
  readonly infoOf: InfoOf;
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Finds the code that blocked, and the cause. */
export function attribute({ durationMs, times, samples, contexts, infoOf, mapStack }: Evidence): Attribution {
  const main = mainContext(contexts, infoOf);
  const culprit = findCulpritOf(samples, infoOf(main).request, infoOf);
  const stack = culprit?.stack ?? mostFrequentStack(samples);
  const culpritSamples = new Set(culprit?.samples ?? samples);
  return {
    cause: causeOf(durationMs, times, samples),
    quality: qualityOf(samples, culpritSamples, culprit !== undefined),
    culprit: culprit && mapWithinStack(culprit.frame, culprit, mapStack),
    stack: mapStack(stack),
    profile: foldProfile(samples),
    sampleCount: samples.length,
    asyncResource: mainAsyncResource([...culpritSamples]),
    pending: samples.findLast(({ sample }) => sample.pending !== undefined)?.sample.pending,
    contexts,
    mainContext: main,
  };
}

/**
 * Finds the culprit of all requests in the block. If it did not run in the request that took longest, the culprit is
 * that request's own: the block's function and the block's parent belong together.
 */
function findCulpritOf(samples: readonly WeightedSample[], request: unknown, infoOf: InfoOf): Culprit | undefined {
  const culprit = findCulprit(samples);
  const isOfRequest = ({ sample }: WeightedSample): boolean => infoOf(sample.context).request === request;
  if (culprit === undefined || culprit.samples.some(isOfRequest)) return culprit;
  return findCulprit(samples.filter(isOfRequest)) ?? culprit;
}

/** Maps the culprit's frame together with its caller: a source map may have the frame's name only in the call. */
function mapWithinStack(
  frame: Frame,
  { samples }: { readonly samples: readonly WeightedSample[] },
  mapStack: Evidence['mapStack'],
): Frame {
  for (const { sample } of samples) {
    const index = sample.frames.indexOf(frame);
    if (index >= 0) return mapStack(sample.frames)[index] ?? frame;
  }
  return mapStack([frame])[0] ?? frame;
}

function qualityOf(
  all: readonly WeightedSample[],
  culpritSamples: ReadonlySet<WeightedSample>,
  isNamed: boolean,
): Quality {
  if (!isNamed && all.every(({ sample }) => sample.frames.length === 0)) return 'none';
  const liveMs = all.reduce((sum, w) => (culpritSamples.has(w) && !w.isLate ? sum + w.weightMs : sum), 0);
  const lateMs = all.reduce((sum, w) => (culpritSamples.has(w) && w.isLate ? sum + w.weightMs : sum), 0);
  return lateMs > liveMs ? 'post_native' : 'live';
}
