/*
 * Are the measurements of one side larger than those of the other, beyond noise? A permutation test needs no assumption
 * about the noise: if the sides do not differ, each assignment of the runs to the sides is as likely as the real one. Many
 * culprits are tested at once, so each is compared with the largest statistic of all of them (the max-T method of Westfall
 * and Young): the probability of one false alarm or more, over all culprits together, is at most the level.
 */

/** One row per culprit, one number per run. All rows of a side have the same length. */
export interface Sides {
  readonly base: readonly (readonly number[])[];
  readonly head: readonly (readonly number[])[];
}

/** Probabilities that chance alone makes the largest difference of all rows as large as this one. */
export interface PValues {
  readonly larger: number;
  readonly smaller: number;
}

/** More assignments than this are sampled instead of enumerated. */
const MAX_ENUMERATED = 20_000;
/** The same for many rows: each assignment looks at all of their values. A second. */
const MAX_VALUES = 50_000_000;
/** Fewer would not tell a probability of 1 % from one of 5 %. */
const MIN_ASSIGNMENTS = 1_000;
/** Added to the standard error, as a share of the row's mean: rows that hardly vary must not dominate. */
const STANDARD_ERROR_FLOOR = 0.02;

/** Sums in another order differ by rounding. */
const TIE = 1e-9;

/** For each row, whether head is larger or smaller than base. Rows are in the order of the input. */
export function permutationTest({ base, head }: Sides): PValues[] {
  const rows = base.map((values, index) => rowOf([...values, ...head[index]!]));
  const baseCount = base[0]?.length ?? 0;
  const runCount = rows[0]?.values.length ?? 0;
  const observed = rows.map((row) => statistic(row, firstRuns(baseCount)));
  const larger = observed.map(() => 0);
  const smaller = observed.map(() => 0);
  let assignments = 0;
  const maxAssignments = Math.min(
    MAX_ENUMERATED,
    Math.max(MIN_ASSIGNMENTS, Math.floor(MAX_VALUES / (rows.length * runCount))),
  );
  for (const baseIndexes of assignmentsOf(runCount, baseCount, maxAssignments)) {
    let largest = -Infinity;
    let smallest = Infinity;
    for (const row of rows) {
      const value = statistic(row, baseIndexes);
      largest = Math.max(largest, value);
      smallest = Math.min(smallest, value);
    }
    assignments += 1;
    observed.forEach((value, index) => {
      if (largest >= value - TIE) larger[index]! += 1;
      if (smallest <= value + TIE) smaller[index]! += 1;
    });
  }
  // Without a second assignment, nothing can be said.
  return observed.map((_, index) => ({
    larger: assignments === 0 ? 1 : larger[index]! / assignments,
    smaller: assignments === 0 ? 1 : smaller[index]! / assignments,
  }));
}

/** The smallest probability that so many runs can show: that of the real assignment alone. */
export function smallestPValue(baseCount: number, headCount: number): number {
  return 1 / binomial(baseCount + headCount, baseCount);
}

interface Row {
  readonly values: readonly number[];
  readonly sum: number;
  readonly squares: number;
  readonly errorFloor: number;
}

function rowOf(values: readonly number[]): Row {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  return { values, sum, squares, errorFloor: (STANDARD_ERROR_FLOOR * sum) / Math.max(1, values.length) };
}

/** Welch's t statistic of head minus base. The values are not negative. */
function statistic({ values, sum, squares, errorFloor }: Row, baseIndexes: readonly number[]): number {
  let baseSum = 0;
  let baseSquares = 0;
  for (const index of baseIndexes) {
    const value = values[index]!;
    baseSum += value;
    baseSquares += value * value;
  }
  const baseCount = baseIndexes.length;
  const headCount = values.length - baseCount;
  const difference = (sum - baseSum) / headCount - baseSum / baseCount;
  if (difference === 0) return 0;
  const squaredError =
    squaredErrorOfMean(baseSum, baseSquares, baseCount) +
    squaredErrorOfMean(sum - baseSum, squares - baseSquares, headCount);
  return difference / (Math.sqrt(squaredError) + errorFloor);
}

/** 0 where one value says nothing about the error. */
function squaredErrorOfMean(sum: number, squares: number, count: number): number {
  if (count < 2) return 0;
  return Math.max(0, squares - (sum * sum) / count) / (count - 1) / count;
}

function firstRuns(count: number): number[] {
  return Array.from({ length: count }, (_, run) => run);
}

/** Every way to choose the runs of base or, of very many, a random sample that contains the real one. */
function* assignmentsOf(runCount: number, baseCount: number, maximum: number): Generator<readonly number[]> {
  if (baseCount === 0 || baseCount === runCount) return;
  if (binomial(runCount, baseCount) <= maximum) {
    yield* choices(runCount, baseCount);
    return;
  }
  const order = firstRuns(runCount);
  const random = generator(runCount * 1_000 + baseCount);
  for (let index = 0; index < maximum; index += 1) {
    yield order.slice(0, baseCount);
    shuffle(order, random);
  }
}

/** Every choice of `count` of the numbers below `end`. */
function* choices(end: number, count: number): Generator<readonly number[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (let last = count - 1; last < end; last += 1) {
    for (const others of choices(last, count - 1)) yield [...others, last];
  }
}

function shuffle(order: number[], random: () => number): void {
  for (let index = order.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other]!, order[index]!];
  }
}

/** Random numbers from 0 to 1 (mulberry32). Seeded: the same recordings have the same verdicts. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function binomial(n: number, k: number): number {
  let result = 1;
  for (let index = 1; index <= k; index += 1) result = (result * (n - k + index)) / index;
  return Math.round(result);
}
