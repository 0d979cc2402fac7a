import { functionKey, isOwn } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import type { WeightedSample } from './weights.js';

/** A sample that shows a function. */
export interface Occurrence {
  readonly weighted: WeightedSample;
  /** The topmost frame of the function. */
  readonly frame: Frame;
  /** The topmost frame of the sample that can be the culprit. */
  readonly innermost: Frame;
}

/** A sample with the frames that can be the culprit, top first. */
export interface NamedSample {
  readonly weighted: WeightedSample;
  readonly named: readonly Frame[];
}

/** The time of one candidate function. */
interface Share {
  /** Time in the function and in the functions that it called. */
  inclusiveMs: number;
  /** Its part of the time before the first sample. */
  unsampledMs: number;
  /** Time multiplied by the number of candidates above it: divided by `inclusiveMs`, its mean distance from the top. */
  distanceMs: number;
  /** It is on the stack of the first sample. */
  isFirst: boolean;
  readonly occurrences: Occurrence[];
}

/** Fewer answers show what ran at one moment or two, and not what ran for half of the block. */
const MIN_ANSWERS = 3;

/** A thread that sleeps in a call is asked once: the answer stands for the sleep, whose time is known. */
export function hasEnoughAnswers(samples: readonly WeightedSample[]): boolean {
  return samples.length >= MIN_ANSWERS || samples.some(({ sample }) => sample.pending !== undefined);
}

/** A collection that delayed an answer by more than this, ms. */
const MIN_COLLECTION_MS = 1;

/** Whether V8 has answered only after a collection: at the next call or end of a loop, not where the garbage was made. */
export function isAfterCollection({ isLate, gcMs }: WeightedSample): boolean {
  return !isLate && gcMs > MIN_COLLECTION_MS;
}

/** Part of the time that the culprit must be on the stack. */
const MAJORITY = 1 / 2;
/** The same where most answers came after a collection: they favour small functions that are called often. */
const MAJORITY_AFTER_COLLECTIONS = 2 / 3;

/**
 * Finds the deepest function that was on the stack for at least half of the time, or two thirds where most answers came
 * after a collection, and returns the samples that show it.
 * A caller that enough answers show comes before a function that one answer shows, be its time as long. Where no function
 * was on the stack for half of the time, it is the deepest of those that were on it for longest, or for nearly as long:
 * of a block of many stages, a stage and not a small function that several of them call.
 */
export function mainFunction(samples: readonly NamedSample[]): readonly Occurrence[] {
  const shares = [...sharesOf(samples).values()];
  const sampledMs = evidenceMsOf(samples.filter(({ named }) => named.length > 0));
  const unsampledMs = addUnsampled(shares, samples[0], sampledMs);
  const withPart = (part: number): readonly Share[] =>
    shares.filter((share) => share.inclusiveMs + share.unsampledMs >= (sampledMs + unsampledMs) * part);
  const afterMs = evidenceMsOf(
    samples.filter(({ weighted, named }) => named.length > 0 && isAfterCollection(weighted)),
  );
  const clear = afterMs < sampledMs / 2 ? [] : withPart(MAJORITY_AFTER_COLLECTIONS);
  const majority = clear.length > 0 ? clear : withPart(MAJORITY);
  const candidates = majority.length > 0 ? majority : longest(shares, unsampledMs);
  return (deepest(candidates.filter(isWellShown)) ?? deepest(candidates))?.occurrences ?? [];
}

/** The time for which the samples are evidence, ms. */
export function evidenceMsOf(samples: readonly { readonly weighted: WeightedSample }[]): number {
  return samples.reduce((sum, { weighted }) => sum + weighted.evidenceMs, 0);
}

/** An answer after a native call stands for that call, whose time is known. */
function isWellShown({ occurrences }: Share): boolean {
  const samples = occurrences.map(({ weighted }) => weighted);
  return hasEnoughAnswers(samples) || samples.some(({ isLate }) => isLate);
}

function sharesOf(samples: readonly NamedSample[]): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const [index, { weighted, named }] of samples.entries()) {
    named.forEach((frame, distance) => {
      const key = isOwn(frame) ? OWN_KEY : functionKey(frame);
      let share = shares.get(key);
      if (share === undefined) {
        share = { inclusiveMs: 0, unsampledMs: 0, distanceMs: 0, isFirst: index === 0, occurrences: [] };
        shares.set(key, share);
      }
      if (share.occurrences.at(-1)?.weighted === weighted) return; // recursion
      share.inclusiveMs += weighted.evidenceMs;
      share.distanceMs += weighted.evidenceMs * distance;
      share.occurrences.push({ weighted, frame, innermost: named[0]! });
    });
  }
  return shares;
}

/** All functions of this package are one candidate: which of them it was says nothing about the application. */
const OWN_KEY = 'own';

/**
 * Gives each function of the first sample its part of the time before the first question, and returns that time. A
 * function that the first sample does not show had not begun then: in a short block, what ran after the first question
 * is not yet what ran for half of the block. One that it shows gets only the share that it has of the sampled time,
 * since it may have been called again and again.
 */
function addUnsampled(shares: readonly Share[], first: NamedSample | undefined, sampledMs: number): number {
  if (first === undefined || sampledMs === 0) return 0;
  const ofFirst = shares.filter(({ isFirst }) => isFirst);
  if (ofFirst.length === 0) return 0;
  const unsampledMs = first.weighted.ranMs - first.weighted.evidenceMs;
  for (const share of ofFirst) share.unsampledMs = (unsampledMs * share.inclusiveMs) / sampledMs;
  return unsampledMs;
}

/** Share of the longest time from which on a function counts as on the stack for nearly as long. */
const NEARLY = 0.9;

/** Without a majority, what was on the stack at the first question is the best guess for all of the time before it. */
function longest(shares: readonly Share[], unsampledMs: number): readonly Share[] {
  const timeOf = ({ inclusiveMs, isFirst }: Share): number => inclusiveMs + (isFirst ? unsampledMs : 0);
  const mostMs = Math.max(...shares.map(timeOf));
  return shares.filter((share) => timeOf(share) >= mostMs * NEARLY);
}

function deepest(shares: readonly Share[]): Share | undefined {
  const depth = (share: Share): number => (share.inclusiveMs > 0 ? share.distanceMs / share.inclusiveMs : Infinity);
  return shares.reduce<Share | undefined>((a, b) => (a === undefined || depth(b) < depth(a) ? b : a), undefined);
}
