import { type NodeMajor, nodeMajors } from '@loopwatch/node-binaries';

/** A line of the OpenTelemetry SDK. */
export type SdkLine = 'sdk2' | 'sdk3';

export interface Combination {
  readonly nodeMajor: NodeMajor;
  readonly sdk: SdkLine;
}

/** The combination of the inner tier, and of what shows the same on every combination. */
export const defaultCombination: Combination = { nodeMajor: 24, sdk: 'sdk3' };

/**
 * What the published package supports, in every tier: SDK 2.x from Node 20 on, SDK 3.x from Node 22 on. For tests that
 * choose from it; a test that runs on all of them takes `combinations`.
 */
export const supportedCombinations: readonly Combination[] = [
  { nodeMajor: 20, sdk: 'sdk2' },
  { nodeMajor: 22, sdk: 'sdk2' },
  { nodeMajor: 24, sdk: 'sdk2' },
  { nodeMajor: 22, sdk: 'sdk3' },
  { nodeMajor: 24, sdk: 'sdk3' },
  { nodeMajor: 26, sdk: 'sdk3' },
];

/** Whether a contributor waits for this run (`npm test`): for what leaves out cases that the full tier has. */
export const isInnerTier = process.env['LOOPWATCH_TEST_TIER'] === 'inner';

/** The only combination of this run: that of a CI job (`24-sdk3`), or of the inner tier; undefined to run on all. */
const onlyCombination = combinationOfRun(process.env);

/** The Node majors of this run, that of its only combination or all: for programs without an SDK. */
export const majorsOfTier: readonly NodeMajor[] = onlyCombination ? [onlyCombination.nodeMajor] : nodeMajors;

/** The combinations of this run: one, or all that are supported. */
export const combinations: readonly Combination[] = onlyCombination ? [onlyCombination] : supportedCombinations;

/** One combination for each Node major of this run: for what depends on Node and hardly on the SDK. */
export const combinationPerMajor: readonly Combination[] = onlyCombination
  ? [onlyCombination]
  : [
      { nodeMajor: 20, sdk: 'sdk2' },
      { nodeMajor: 22, sdk: 'sdk2' },
      { nodeMajor: 24, sdk: 'sdk3' },
      { nodeMajor: 26, sdk: 'sdk3' },
    ];

/** The oldest and the newest combination: for what hardly depends on Node, but may on the SDK line. */
export const oldestAndNewest: readonly Combination[] = onlyCombination
  ? [onlyCombination]
  : [supportedCombinations[0]!, supportedCombinations.at(-1)!];

/**
 * The cases that a run on all combinations tries on one of them: each case on two, which take turns, so that each
 * combination has its share. A job for one combination tries all cases on it; CI has such a job for each.
 * @param of the combinations among which the cases are shared
 * @param timesEach on how many of them each case runs
 */
export function casesOn<T>(
  combination: Combination | NodeMajor,
  cases: readonly T[],
  of: readonly Combination[] = combinationPerMajor,
  timesEach = 2,
): readonly T[] {
  if (onlyCombination) return cases;
  const place = of.findIndex((one) => one === combination || one.nodeMajor === combination);
  const turn = Math.ceil(of.length / timesEach);
  return cases.filter((_, i) => i % turn === place % turn);
}

/**
 * Of these cases, what a run on all combinations tries on the oldest or the newest, in turn: judging depends on neither, and
 * the replay of recordings judges those of all majors. A job for one combination tries all cases on it.
 */
export function judgedOn<T>(combination: Combination, cases: readonly T[]): readonly T[] {
  return casesOn(combination, cases, oldestAndNewest, 1);
}

/**
 * Two majors, for what hardly depends on Node, or one, for judging that takes long: neighbouring tests name others, so that
 * a run on all combinations has each major. A job for one combination tries its own; CI has such a job for each.
 */
export function sampledMajors(...majors: readonly [NodeMajor, NodeMajor?]): readonly NodeMajor[] {
  return onlyCombination ? [onlyCombination.nodeMajor] : majors.filter((major) => major !== undefined);
}

/** The same with a combination for each of the majors. */
export function sampledCombinations(...majors: readonly [NodeMajor, NodeMajor?]): readonly Combination[] {
  return onlyCombination
    ? [onlyCombination]
    : combinationPerMajor.filter(({ nodeMajor }) => majors.includes(nodeMajor));
}

/** Reads the two variables that choose a combination. Programs that are not tests, such as benchmarks, have neither. */
export function combinationOfRun(environment: NodeJS.ProcessEnv): Combination | undefined {
  const { LOOPWATCH_TEST_COMBINATION: name, LOOPWATCH_TEST_TIER: tier } = environment;
  if (!name) return tier === 'inner' ? defaultCombination : undefined;
  const named = supportedCombinations.find(({ nodeMajor, sdk }) => `${nodeMajor}-${sdk}` === name);
  if (named) return named;
  const known = supportedCombinations.map(({ nodeMajor, sdk }) => `${nodeMajor}-${sdk}`);
  throw new Error(`Expected LOOPWATCH_TEST_COMBINATION to be one of ${known.join(', ')}, got ${name}.`);
}

/** Whether this tier runs the combination: for tests that name theirs, whichever combination the job is for. */
export function isInTier({ nodeMajor, sdk }: Combination): boolean {
  return !isInnerTier || (nodeMajor === defaultCombination.nodeMajor && sdk === defaultCombination.sdk);
}

export function ofTier(named: readonly Combination[]): readonly Combination[] {
  return named.filter((combination) => isInTier(combination));
}

/** `Node 24, sdk3`: for the names of tests. */
export function describeCombination({ nodeMajor, sdk }: Combination): string {
  return `Node ${nodeMajor}, ${sdk}`;
}
