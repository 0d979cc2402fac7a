import { culpritKey } from '../blocks/culprits.js';
import { sentenceAbout } from '../blocks/sentence.js';
import { groupBy, smallest } from '../collections.js';
import { checkoutPath, type CheckoutPlace } from '../compare/checkout-path.js';
import {
  type ComparedCulprit,
  comparedBlocks,
  comparedKey,
  type ComparedRecording,
  type Comparison,
} from '../compare/comparison.js';
import { changeText, evidenceText, functionOfCompared } from '../compare/comparison-text.js';
import type { Recording } from '../recording/recording.js';
import { formatMs, shortPath } from '../text/format.js';
import { functionOfCulprit } from '../text/guess.js';
import { wellFormed } from '../text/well-formed.js';
import type { CodeLocation, Culprit } from '../types.js';

/**
 * What a CI system shows of a culprit. `error`: it fails the job; `warning`: a change for the worse that does not;
 * `note`: the rest.
 */
export interface CiFinding {
  /** The same for the same function in each run, wherever the checkout lies. */
  readonly key: string;
  readonly level: 'error' | 'warning' | 'note';
  /** `Event loop blocked for 1.2 s` */
  readonly title: string;
  /** The sentence about the culprit. */
  readonly message: string;
  /** With the mark of a guess. */
  readonly functionName: string;
  /** Short path of the file; empty where none is known. */
  readonly file: string;
  /** The line in the repository; absent for dependencies, Node.js, and files that are not in it. */
  readonly place?: RepositoryPlace;
  readonly totalMs: number;
}

export interface RepositoryPlace {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly line: number;
  /** 0 where it is not known. */
  readonly column: number;
}

/**
 * The culprits of a run. Those with a block above the limit are errors: of `--fail-on`, and of `--kill-after` where it has
 * ended the program. `root`: of the repository, where the recording does not have it.
 */
export function findingsOfRun(recording: Recording, limitMs: number, root?: string): CiFinding[] {
  const { blocks, culprits, directory } = recording;
  const byCulprit = groupBy(blocks, culpritKey);
  return culprits.map((culprit): CiFinding => {
    const { location, longestMs, totalMs } = culprit;
    const own = byCulprit.get(culprit.key) ?? [];
    return {
      key: keyOf(location, culprit.cause, recording),
      level: longestMs > limitMs ? 'error' : 'note',
      title: `Event loop blocked for ${formatMs(longestMs)}`,
      message: sentenceAbout(own, blocks, { directory }),
      functionName: functionOfCulprit(culprit) ?? `no stack (${culprit.cause})`,
      file: location ? shortPath(location.filePath, directory) : '',
      ...placeIn(location, recording, root),
      totalMs,
    };
  });
}

/** The culprits that are new or worse in the new build. New ones with a block above the limit are errors. */
export function findingsOfComparison(
  comparison: Comparison,
  head: readonly ComparedRecording[],
  limitMs: number,
  root?: string,
): CiFinding[] {
  return comparison.culprits
    .filter(({ verdict }) => verdict === 'new' || verdict === 'worse')
    .map((culprit): CiFinding => {
      const { location, verdict, directory } = culprit;
      const recording = head.find((each) => each.directory === directory) ?? head[0];
      return {
        key: keyOf(location, culprit.cause, { directory, ...(recording?.vcs && { vcs: recording.vcs }) }),
        level: verdict === 'new' && culprit.head.longestMs > limitMs ? 'error' : 'warning',
        title: verdict === 'new' ? 'New block of the event loop' : 'The event loop is blocked for longer',
        message: comparedMessage(culprit, comparison, head),
        functionName: functionOfCompared(culprit),
        file: location ? shortPath(location.filePath, directory) : '',
        ...(recording && placeIn(location, recording, root)),
        totalMs: culprit.head.meanMs,
      };
    });
}

function comparedMessage(culprit: ComparedCulprit, comparison: Comparison, head: readonly ComparedRecording[]): string {
  const { thresholdMs } = comparison;
  const all = head.flatMap((recording) => comparedBlocks(recording, thresholdMs));
  const own = head.flatMap((recording) =>
    comparedBlocks(recording, thresholdMs).filter((block) => comparedKey(block, recording) === culprit.key),
  );
  const sentence = sentenceAbout(own, all, { directory: culprit.directory });
  const change = `${changeText(culprit)} in a run, ${evidenceText(culprit, comparison)}`;
  const isTested = comparison.isTested ? '' : ' Too few runs to tell a change from noise.';
  return `${sentence} ${change}.${isTested}`;
}

function keyOf(location: CodeLocation | undefined, cause: Culprit['cause'], place: CheckoutPlace): string {
  return location ? `${location.functionName}\n${checkoutPath(location.filePath, place)}` : `\n${cause}`;
}

function placeIn(
  location: CodeLocation | undefined,
  { directory, vcs }: Pick<Recording, 'directory' | 'vcs'>,
  givenRoot: string | undefined,
): { readonly place?: RepositoryPlace } {
  if (!location || location.lineNumber <= 0) return {};
  const file = location.filePath.replace(/^file:\/\//, '');
  // A part of the repository may be the working directory, and a checkout may lie anywhere.
  const root = vcs?.rootDirectory ?? (givenRoot !== undefined && isIn(directory, givenRoot) ? givenRoot : directory);
  if (!isIn(file, root) || file.includes('/node_modules/')) return {};
  const path = wellFormed(file.slice(root.length + 1));
  return { place: { path, line: location.lineNumber, column: location.columnNumber } };
}

function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/** How many findings have the level. */
export function countOf(findings: readonly CiFinding[], level: CiFinding['level']): number {
  return findings.filter((finding) => finding.level === level).length;
}

/** The blocked time of all findings, ms. */
export function totalOf(findings: readonly CiFinding[]): number {
  return findings.reduce((total, { totalMs }) => total + totalMs, 0);
}

/** The longest of the limits that fail a run: none is infinite. */
export function failingLimit({ exit }: Pick<Recording, 'exit'>, failOnMs: number | undefined): number {
  return smallest([failOnMs ?? Infinity, exit.killedAfterMs ?? Infinity]);
}
