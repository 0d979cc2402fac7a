import { type ComparedRecording, compareRecordings, type Verdict } from '../../src/model/compare/comparison.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeComparedRecording } from './records.js';

/** A project whose benchmark run blocks in several functions. */
export interface SimulatedProject {
  readonly culprits: number;
  /** Standard deviation of a block's duration, as a share of its mean. */
  readonly noise: number;
  readonly runs: number;
}

const BLOCKS_OF_A_RUN = 4;
const THRESHOLD_MS = 100;
/** Runs of one machine differ as a whole, too: clock rate, temperature, neighbours. */
const MACHINE_NOISE = 0.05;
/** Some culprits lie near the threshold, so that a run has more or fewer of their blocks. */
const SHORTEST_MEAN_MS = 90;
const LONGEST_MEAN_MS = 600;
const COMPARISONS = 200;

/** Share of comparisons of a build with itself that report at least one culprit as new or worse. */
export function falseAlarmRate(project: SimulatedProject): number {
  return share(project, (random) => compare(project, random, {}).some(isAlarm));
}

/** Share of comparisons that report the one function whose blocks last `factor` times longer in head. */
export function powerToSeeSlower(project: SimulatedProject, factor: number): number {
  return share(project, (random) => isAlarm(compare(project, random, { slower: factor })[0]!));
}

/** Share of comparisons that report the one function that blocks in head only. */
export function powerToSeeNew(project: SimulatedProject): number {
  return share(project, (random) => compare(project, random, { onlyInHead: true })[0] === 'new');
}

interface Change {
  readonly slower?: number;
  readonly onlyInHead?: boolean;
}

function share(project: SimulatedProject, happens: (random: () => number) => boolean): number {
  const random = seeded(project.culprits * 1_000 + project.runs * 10 + project.noise);
  const results = Array.from({ length: COMPARISONS }, () => happens(random));
  return results.filter(Boolean).length / COMPARISONS;
}

/** Verdict of each culprit; the change concerns the first one. */
function compare(project: SimulatedProject, random: () => number, { slower = 1, onlyInHead }: Change): Verdict[] {
  const means = Array.from({ length: project.culprits }, (_, index) =>
    index === 0 ? 200 : SHORTEST_MEAN_MS + random() * (LONGEST_MEAN_MS - SHORTEST_MEAN_MS),
  );
  const headMeans = means.map((ms, index) => (index === 0 ? ms * slower : ms));
  const baseMeans = means.map((ms, index) => (index === 0 && onlyInHead ? 0 : ms));
  const runsOf = (sideMeans: readonly number[]): ComparedRecording[] =>
    Array.from({ length: project.runs }, () => recording(sideMeans, project.noise, random));
  const { culprits } = compareRecordings(runsOf(baseMeans), runsOf(headMeans));
  return means.map((_, index) => culprits.find(({ key }) => key.startsWith(`f${index}\n`))?.verdict ?? 'same');
}

function isAlarm(verdict: Verdict): boolean {
  return verdict === 'new' || verdict === 'worse';
}

function recording(means: readonly number[], noise: number, random: () => number): ComparedRecording {
  const machine = logNormal(MACHINE_NOISE, random);
  const blocks = means.flatMap((meanMs, index): Block[] =>
    Array.from({ length: BLOCKS_OF_A_RUN }, () =>
      makeBlock({
        culprit: { functionName: `f${index}`, filePath: `/app/f${index}.js`, lineNumber: 1, columnNumber: 1 },
        durationMs: meanMs * machine * logNormal(noise, random),
      }),
    ),
  );
  return makeComparedRecording(
    blocks.filter(({ durationMs }) => durationMs >= THRESHOLD_MS),
    { thresholdMs: THRESHOLD_MS },
  );
}

/** A random factor with mean about 1. */
function logNormal(deviation: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(deviation * normal - deviation ** 2 / 2);
}

function seeded(seed: number): () => number {
  let state = Math.round(seed * 1_000);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
