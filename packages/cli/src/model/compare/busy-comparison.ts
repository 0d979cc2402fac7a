import type { BusyEntry } from '../busy-time/busy.js';
import { shareInterval } from '../text/share-interval.js';
import { groupBy } from '../collections.js';
import { formatMs } from '../text/format.js';
import { GUESS_MARK } from '../text/guess.js';
import { formatPlace } from '../text/place.js';
import type { CodeLocation } from '../types.js';
import { isSame } from './change.js';
import { checkoutPath } from './checkout-path.js';
import { permutationTest } from './permutation-test.js';
import { type ComparedRecording, MIN_UNTESTED_CHANGE, SIGNIFICANCE_LEVEL, type Verdict, VERDICTS } from './verdict.js';

/** A function whose busy time outside of blocks differs between two builds. Blocks are compared by themselves. */
export interface ComparedFunction {
  readonly key: string;
  readonly location: CodeLocation;
  readonly directory: string;
  /** Most of its time is a guess. */
  readonly guess: boolean;
  readonly base: SideOfFunction;
  readonly head: SideOfFunction;
  readonly verdict: Exclude<Verdict, 'same' | 'unclear'>;
  /** As for culprits. */
  readonly pValue?: number;
}

interface SideOfFunction {
  /** Runs in which an answer has shown it. */
  readonly runs: number;
  /** Mean over all runs of the side, ms. */
  readonly meanMs: number;
}

/** A smaller part of the busy time is not compared: answers show it by chance in one run and not in another. */
const MIN_SHARE = 0.05;

interface Run {
  readonly byFunction: ReadonlyMap<string, readonly BusyEntry[]>;
  readonly busyMs: number;
  readonly answers: number;
  readonly directory: string;
}

/**
 * The functions that take more or less of the loop than before, in the order of `VERDICTS`. Undefined where a recording
 * does not say what its loops did. With too few runs for statistics, the intervals of the answers decide.
 */
export function compareBusyTime(
  base: readonly ComparedRecording[],
  head: readonly ComparedRecording[],
  isTested: boolean,
): ComparedFunction[] | undefined {
  if ([...base, ...head].some(({ busy }) => busy === undefined)) return undefined;
  const sides = { base: base.map(runOf), head: head.map(runOf) };
  const all = [...sides.head, ...sides.base];
  const keys = [...new Set(all.flatMap(({ byFunction }) => [...byFunction.keys()]))].filter((key) =>
    [sides.base, sides.head].some((runs) => meanMs(runs, key) >= MIN_SHARE * meanOf(runs, ({ busyMs }) => busyMs)),
  );
  const rows = (runs: readonly Run[]): number[][] => keys.map((key) => runs.map((run) => msOf(run, key)));
  const pValues = isTested ? permutationTest({ base: rows(sides.base), head: rows(sides.head) }) : [];
  return keys
    .flatMap((key, index): ComparedFunction[] => {
      const [before, after] = [sideOf(sides.base, key), sideOf(sides.head, key)];
      const isLarger = after.meanMs > before.meanMs;
      const p = pValues[index];
      const pValue = p && (isLarger ? p.larger : p.smaller);
      const isCertain = pValue === undefined ? differs(sides, key) : pValue <= SIGNIFICANCE_LEVEL;
      if (!isCertain || isSame({ baseMs: before.meanMs, headMs: after.meanMs })) return [];
      const shown = all.find((run) => run.byFunction.has(key))!;
      const entries = shown.byFunction.get(key)!;
      const longest = entries.reduce((a, b) => (b.ms > a.ms ? b : a));
      const one = { key, location: { ...longest.culprit!, columnNumber: 0 }, directory: shown.directory };
      const guess = sum(entries, ({ guessMs }) => guessMs) > sum(entries, ({ ms }) => ms) / 2;
      const verdict = verdictOf(before, after);
      return [{ ...one, guess, base: before, head: after, verdict, ...(pValue !== undefined && { pValue }) }];
    })
    .sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) || changeMs(b) - changeMs(a));
}

/** `worse: parseFilters (src/filters.ts:12) keeps the loop busy for 3.41 s of a run, before 1.20 s; p = 0.012.` */
export function functionChangeText({
  verdict,
  location,
  directory,
  guess,
  base,
  head,
  pValue,
}: ComparedFunction): string {
  const name = `${guess ? `${GUESS_MARK} ` : ''}${location.functionName} (${formatPlace(location, directory)})`;
  const times = `${formatMs(base.meanMs)} → ${formatMs(head.meanMs)}`;
  const evidence = pValue === undefined ? '' : `; p = ${pValue < 0.001 ? '<0.001' : pValue.toFixed(3)}`;
  return `Busy time outside of blocks, ${verdict}: ${name}, ${times} a run${evidence}.`;
}

function runOf(recording: ComparedRecording): Run {
  const { busy = [], directory } = recording;
  const byFunction = groupBy(
    busy.filter(({ culprit, ms, blockedMs }) => culprit && ms > blockedMs),
    ({ culprit }) => `${culprit!.functionName}\n${checkoutPath(culprit!.filePath, recording)}`,
  );
  return { byFunction, busyMs: sum(busy, ({ ms }) => ms), answers: sum(busy, ({ answers }) => answers), directory };
}

function sideOf(runs: readonly Run[], key: string): SideOfFunction {
  return { runs: runs.filter(({ byFunction }) => byFunction.has(key)).length, meanMs: meanMs(runs, key) };
}

function verdictOf(base: SideOfFunction, head: SideOfFunction): ComparedFunction['verdict'] {
  if (base.runs === 0) return 'new';
  if (head.runs === 0) return 'gone';
  return head.meanMs > base.meanMs ? 'worse' : 'better';
}

/** Whether the difference is large, and larger than what few answers leave open. */
function differs(
  { base, head }: { readonly base: readonly Run[]; readonly head: readonly Run[] },
  key: string,
): boolean {
  const [before, after] = [intervalOf(base, key), intervalOf(head, key)];
  const isApart = before.highMs < after.lowMs || after.highMs < before.lowMs;
  return isApart && Math.abs(meanMs(head, key) - meanMs(base, key)) >= MIN_UNTESTED_CHANGE * meanMs(base, key);
}

function intervalOf(runs: readonly Run[], key: string): { readonly lowMs: number; readonly highMs: number } {
  const busyMs = meanOf(runs, (run) => run.busyMs);
  const answers = sum(runs, (run) => run.answers);
  const { low, high } = shareInterval(busyMs > 0 ? (meanMs(runs, key) / busyMs) * answers : 0, answers);
  return { lowMs: low * busyMs, highMs: high * busyMs };
}

function msOf({ byFunction }: Run, key: string): number {
  return sum(byFunction.get(key) ?? [], ({ ms, blockedMs }) => ms - blockedMs);
}

function meanMs(runs: readonly Run[], key: string): number {
  return meanOf(runs, (run) => msOf(run, key));
}

function meanOf(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.length === 0 ? 0 : sum(runs, of) / runs.length;
}

function changeMs({ base, head }: ComparedFunction): number {
  return Math.abs(head.meanMs - base.meanMs);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
