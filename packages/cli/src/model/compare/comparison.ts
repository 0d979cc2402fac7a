import { culpritKey } from '../blocks/culprits.js';
import { groupBy, largest } from '../collections.js';
import { isGuess } from '../text/guess.js';
import type { Block, CodeLocation } from '../types.js';
import { compareBusyTime, type ComparedFunction } from './busy-comparison.js';
import { isSame } from './change.js';
import { checkoutPath, type CheckoutPlace } from './checkout-path.js';
import { permutationTest, type PValues, smallestPValue } from './permutation-test.js';
import { type ComparedRecording, MIN_UNTESTED_CHANGE, SIGNIFICANCE_LEVEL, type Verdict, VERDICTS } from './verdict.js';

export { type ComparedRecording, SIGNIFICANCE_LEVEL, type Verdict, VERDICTS };

/** A culprit in the runs of one side. */
export interface SideOfCulprit {
  /** Runs in which it blocked. */
  readonly runs: number;
  /** Mean over all runs of the side, ms: the blocked time without the time in which its blocks waited for CPU. */
  readonly meanMs: number;
  /** Mean number of blocks of a run. */
  readonly meanCount: number;
  /** Longest block of all runs, ms, without the time in which it waited for CPU. */
  readonly longestMs: number;
}

export interface ComparedCulprit {
  readonly key: string;
  /** Of the longest block, in head where it blocks there; absent if its blocks have no culprit. */
  readonly location?: CodeLocation;
  /** Directory of that recording. */
  readonly directory: string;
  /** Instead of a function where none is known: `no stack (gc)`. */
  readonly cause: Block['cause'];
  readonly guess: boolean;
  /** Requests that it blocked on either side, sorted by name. */
  readonly requests: readonly string[];
  readonly base: SideOfCulprit;
  readonly head: SideOfCulprit;
  readonly verdict: Verdict;
  /** Probability that chance alone makes so large a difference, over all culprits; absent with too few runs. */
  readonly pValue?: number;
}

export interface Comparison {
  readonly baseRuns: number;
  readonly headRuns: number;
  /** False: too few runs for statistics. Verdicts then follow from the size of the difference alone. */
  readonly isTested: boolean;
  /** Shorter blocks are left out: the highest threshold of all recordings, ms. */
  readonly thresholdMs: number;
  /** In the order of `VERDICTS`, then by the size of the difference. */
  readonly culprits: readonly ComparedCulprit[];
  /**
   * Functions that take more or less of the loop outside of blocks, in the same order; absent where a recording does not
   * have it.
   */
  readonly busy?: readonly ComparedFunction[];
}

/** Compares the culprits of two builds, of which each has one recording or more. */
export function compareRecordings(base: readonly ComparedRecording[], head: readonly ComparedRecording[]): Comparison {
  const thresholdMs = largest([...base, ...head].map((recording) => recording.thresholdMs));
  const baseRuns = base.map((recording) => blocksByCulprit(recording, thresholdMs));
  const headRuns = head.map((recording) => blocksByCulprit(recording, thresholdMs));
  const keys = [...new Set([...headRuns, ...baseRuns].flatMap((run) => [...run.keys()]))];
  const isTested = smallestPValue(base.length, head.length) <= SIGNIFICANCE_LEVEL;
  const msOf = (run: BlocksByCulprit, key: string): number =>
    sum((run.get(key) ?? []).map(({ block }) => ownMs(block)));
  const pValues = isTested
    ? permutationTest({
        base: keys.map((key) => baseRuns.map((run) => msOf(run, key))),
        head: keys.map((key) => headRuns.map((run) => msOf(run, key))),
      })
    : [];
  const culprits = keys.map((key, index) => compareCulprit(key, baseRuns, headRuns, pValues[index]));
  const busy = compareBusyTime(base, head, isTested);
  return {
    baseRuns: base.length,
    headRuns: head.length,
    isTested,
    thresholdMs,
    culprits: culprits.sort(
      (a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) || changeMs(b) - changeMs(a),
    ),
    ...(busy && { busy }),
  };
}

interface RecordedBlock {
  readonly block: Block;
  readonly directory: string;
}
type BlocksByCulprit = ReadonlyMap<string, readonly RecordedBlock[]>;

function blocksByCulprit(recording: ComparedRecording, thresholdMs: number): BlocksByCulprit {
  const { directory } = recording;
  const compared = comparedBlocks(recording, thresholdMs).map((block) => ({ block, directory }));
  return groupBy(compared, ({ block }) => comparedKey(block, recording));
}

/** The blocks of a recording that count: of recordings with different thresholds, those above the highest. */
export function comparedBlocks({ blocks }: ComparedRecording, thresholdMs: number): ComparedRecording['blocks'] {
  return blocks.filter(({ durationMs }) => durationMs >= thresholdMs);
}

/** Two checkouts of a project lie in different directories, and a function moves within its file. */
export function comparedKey(block: Block, place: CheckoutPlace): string {
  if (!block.culprit) return culpritKey(block);
  return `${block.culprit.functionName}\n${checkoutPath(block.culprit.filePath, place)}`;
}

function compareCulprit(
  key: string,
  baseRuns: readonly BlocksByCulprit[],
  headRuns: readonly BlocksByCulprit[],
  pValues: PValues | undefined,
): ComparedCulprit {
  const base = sideOf(baseRuns, key);
  const head = sideOf(headRuns, key);
  const blocksOf = (runs: readonly BlocksByCulprit[]): RecordedBlock[] => runs.flatMap((run) => run.get(key) ?? []);
  const shown = head.runs > 0 ? blocksOf(headRuns) : blocksOf(baseRuns);
  const longest = shown.reduce((a, b) => (b.block.durationMs > a.block.durationMs ? b : a));
  const all = [...blocksOf(baseRuns), ...blocksOf(headRuns)];
  const pValue = pValues && (head.meanMs > base.meanMs ? pValues.larger : pValues.smaller);
  return {
    key,
    ...(longest.block.culprit && { location: longest.block.culprit }),
    directory: longest.directory,
    cause: longest.block.cause,
    guess: isGuess(longest.block),
    requests: [...new Set(all.flatMap(({ block }) => block.request ?? []))].sort(),
    base,
    head,
    verdict: verdictOf(base, head, pValue),
    ...(pValue !== undefined && { pValue }),
  };
}

function sideOf(runs: readonly BlocksByCulprit[], key: string): SideOfCulprit {
  const blocks = runs.flatMap((run) => run.get(key) ?? []);
  return {
    runs: runs.filter((run) => run.has(key)).length,
    meanMs: sum(blocks.map(({ block }) => ownMs(block))) / runs.length,
    meanCount: blocks.length / runs.length,
    longestMs: largest(
      blocks.map(({ block }) => ownMs(block)),
      0,
    ),
  };
}

/** Blocked time that is compared. Waiting for CPU depends on the machine's other work and says nothing about the build. */
export function ownMs({ durationMs, runQueueMs = 0 }: Block): number {
  return Math.max(0, durationMs - runQueueMs);
}

function verdictOf(base: SideOfCulprit, head: SideOfCulprit, pValue: number | undefined): Verdict {
  const isLarger = head.meanMs > base.meanMs;
  const difference = Math.abs(head.meanMs - base.meanMs);
  const isOneSided = base.runs === 0 || head.runs === 0;
  if (!isOneSided && isSame({ baseMs: base.meanMs, headMs: head.meanMs })) return 'same';
  const isCertain =
    pValue === undefined ? isOneSided || difference >= MIN_UNTESTED_CHANGE * base.meanMs : pValue <= SIGNIFICANCE_LEVEL;
  if (!isCertain) return 'unclear';
  if (base.runs === 0) return 'new';
  if (head.runs === 0) return 'gone';
  return isLarger ? 'worse' : 'better';
}

/** Size of the difference, ms of blocked time in a run. */
export function changeMs({ base, head }: ComparedCulprit): number {
  return Math.abs(head.meanMs - base.meanMs);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
