import type { Attribution, BlockTimes, ContextShare, Frame, Interval, Quality, Sample } from '../contract/model.js';
import { causeOf } from './cause.js';
import { findCulprit, mainAsyncResource, mostFrequentStack } from './culprit.js';
import { foldProfile } from './profile.js';
import { weighSamples, type WeightedSample } from './weights.js';

export interface Evidence {
  readonly block: Interval;
  /** `block` without the time that does not count. */
  readonly durationMs: number;
  readonly times: BlockTimes;
  readonly samples: readonly Sample[];
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Who blocked, and why. */
export function attribute({ block, durationMs, times, samples, mapStack }: Evidence): Attribution {
  const weighted = weighSamples(samples, block);
  const culprit = findCulprit(weighted);
  const stack = culprit?.stack ?? mostFrequentStack(weighted);
  const ofCulprit = new Set(culprit?.samples ?? weighted);
  return {
    cause: causeOf(durationMs, times, weighted),
    quality: qualityOf(weighted, ofCulprit, culprit !== undefined),
    culprit: culprit && mapWithinStack(culprit.frame, culprit, mapStack),
    stack: mapStack(stack),
    profile: foldProfile(weighted),
    sampleCount: samples.length,
    asyncResource: mainAsyncResource([...ofCulprit]),
    pending: samples.findLast((sample) => sample.pending !== undefined)?.pending,
    contexts: contextShares(weighted, ofCulprit),
  };
}

/** Maps the culprit's frame next to its caller, which knows its name in the source. */
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

function qualityOf(all: readonly WeightedSample[], ofCulprit: ReadonlySet<WeightedSample>, isNamed: boolean): Quality {
  if (!isNamed && all.every(({ sample }) => sample.frames.length === 0)) return 'none';
  const liveMs = all.reduce((sum, w) => (ofCulprit.has(w) && !w.isLate ? sum + w.weightMs : sum), 0);
  const lateMs = all.reduce((sum, w) => (ofCulprit.has(w) && w.isLate ? sum + w.weightMs : sum), 0);
  return lateMs > liveMs ? 'post_native' : 'live';
}

function contextShares(all: readonly WeightedSample[], ofCulprit: ReadonlySet<WeightedSample>): ContextShare[] {
  const shares = new Map<unknown, { weightMs: number; isCulprits: boolean }>();
  for (const weighted of all) {
    const share = shares.get(weighted.sample.context) ?? { weightMs: 0, isCulprits: false };
    share.weightMs += weighted.weightMs;
    share.isCulprits ||= ofCulprit.has(weighted);
    shares.set(weighted.sample.context, share);
  }
  return [...shares].map(([context, share]) => ({ context, ...share })).sort((a, b) => b.weightMs - a.weightMs);
}
