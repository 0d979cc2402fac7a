import { functionKey, kindsOf, type FrameKind } from '../contract/frames.js';
import type { Frame, Sample } from '../contract/model.js';
import { nameableFrames } from './nameable-frames.js';
import { isScheduler, showsOnlyScheduler } from './node-frames.js';
import { evidenceMsOf, mainFunction, type NamedSample, type Occurrence } from './shares.js';
import { framesOf } from './visible-frames.js';
import type { WeightedSample } from './weights.js';

export interface Culprit {
  readonly frame: Frame;
  /** The samples that show the culprit. */
  readonly samples: readonly WeightedSample[];
  readonly occurrences: readonly Occurrence[];
  /** The most frequent stack among them. */
  readonly stack: readonly Frame[];
}

/** A stack of the code that ran before a sample, with the kind of each frame. */
interface Candidate {
  readonly weighted: WeightedSample;
  readonly frames: readonly Frame[];
  readonly kinds: readonly FrameKind[];
}

/**
 * Finds the deepest function that was on the stack for at least half of the sampled time, and of the time before the
 * first sample as far as that shows. Application code comes before `node_modules`, `node_modules` before telemetry, and
 * telemetry before Node's own code.
 */
export function findCulprit(samples: readonly WeightedSample[]): Culprit | undefined {
  const candidates = samples.map((weighted): Candidate => {
    const frames = framesOf(weighted);
    return { weighted, frames, kinds: kindsOf(frames) };
  });
  const kind = kindOfCulprit(candidates);
  if (kind === undefined) return undefined;
  const named = candidates.map(({ weighted, frames, kinds }) => ({
    weighted,
    named: nameableFrames(frames, kinds, kind),
  }));
  const occurrences = kind === 'internal' ? mainFunctionOfNode(named) : mainFunction(named);
  const frame = frameOfMainLine(occurrences);
  if (!frame) return undefined;
  const culpritSamples = occurrences.map(({ weighted }) => weighted);
  return { frame, samples: culpritSamples, occurrences, stack: mostFrequentStack(culpritSamples) };
}

/**
 * The same among functions of Node. Those that run callbacks are below all that the callbacks do: they are the culprit
 * only where no other function has half of the time.
 */
function mainFunctionOfNode(samples: readonly NamedSample[]): readonly Occurrence[] {
  const called = mainFunction(
    samples.map(({ weighted, named }) => ({ weighted, named: named.filter((frame) => !isScheduler(frame)) })),
  );
  const shown = samples.filter(({ named }) => named.length > 0);
  return evidenceMsOf(called) >= evidenceMsOf(shown) / 2 && called.length > 0 ? called : mainFunction(samples);
}

/** The sequence of functions with the most time among the samples, with the frames of its heaviest sample. */
export function mostFrequentStack(samples: readonly WeightedSample[]): readonly Frame[] {
  const stacks: { frames: readonly Frame[]; weightMs: number; sampleMs: number }[] = [];
  for (const weighted of samples) {
    const frames = framesOf(weighted);
    if (frames.length === 0) continue;
    const same = stacks.find((stack) => areSameFunctions(stack.frames, frames));
    if (same === undefined) {
      stacks.push({ frames, weightMs: weighted.evidenceMs, sampleMs: weighted.evidenceMs });
      continue;
    }
    same.weightMs += weighted.evidenceMs;
    if (weighted.evidenceMs <= same.sampleMs) continue;
    same.sampleMs = weighted.evidenceMs;
    same.frames = frames;
  }
  return heaviest(stacks)?.frames ?? [];
}

function areSameFunctions(a: readonly Frame[], b: readonly Frame[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i] || functionKey(frame) === functionKey(b[i]!));
}

/** The first frame of the line with the most time. */
function frameOfMainLine(occurrences: readonly Occurrence[]): Frame | undefined {
  const lines = new Map<number, { frame: Frame; weightMs: number }>();
  for (const { weighted, frame } of occurrences) {
    const line = lines.get(frame.lineNumber);
    if (line) line.weightMs += weighted.evidenceMs;
    else lines.set(frame.lineNumber, { frame, weightMs: weighted.evidenceMs });
  }
  return heaviest([...lines.values()])?.frame;
}

function heaviest<T extends { weightMs: number }>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>((a, b) => (a && a.weightMs >= b.weightMs ? a : b), undefined);
}

const KINDS_IN_ORDER = ['application', 'dependency', 'telemetry', 'internal'] as const;

/**
 * The first of the kinds for which that kind, or one before it, is on the stack for at least half of the time. Stacks
 * that show only a scheduler count where there are no others: of endless microtasks, V8 answers between two of them, too.
 */
function kindOfCulprit(candidates: readonly Candidate[]): FrameKind | undefined {
  return kindOfMost(candidates.filter(({ frames }) => !showsOnlyScheduler(frames))) ?? kindOfMost(candidates);
}

function kindOfMost(candidates: readonly Candidate[]): FrameKind | undefined {
  const timesMs = KINDS_IN_ORDER.map(() => 0);
  let totalMs = 0;
  for (const { weighted, kinds } of candidates) {
    const first = KINDS_IN_ORDER.findIndex((kind) => kinds.includes(kind));
    if (first < 0) continue;
    timesMs[first]! += weighted.evidenceMs;
    totalMs += weighted.evidenceMs;
  }
  if (totalMs === 0) return undefined;
  let sumMs = 0;
  return KINDS_IN_ORDER.find((_, i) => (sumMs += timesMs[i]!) >= totalMs / 2);
}

/** Type of the asynchronous resource with the most time among the samples. */
export function mainAsyncResource(samples: readonly WeightedSample[]): string {
  const weights = new Map<Sample['asyncResource'], number>();
  for (const { sample, weightMs } of samples) {
    weights.set(sample.asyncResource, (weights.get(sample.asyncResource) ?? 0) + weightMs);
  }
  return heaviest([...weights].map(([name, weightMs]) => ({ name, weightMs })))?.name ?? '';
}
