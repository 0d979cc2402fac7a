import {
  type ComparedCulprit,
  comparedBlocks,
  comparedKey,
  compareRecordings,
  ownMs,
} from '../../model/compare/comparison.js';
import { caveats, evidenceText, placeOfCompared } from '../../model/compare/comparison-text.js';
import { incompleteRuns } from '../../model/compare/incomplete-runs.js';
import type { Recording } from '../../model/recording/recording.js';
import { formatMs } from '../../model/text/format.js';
import { round } from './culprits.js';
import { dataText, quoted, withWhatFits } from './data-text.js';
import { culpritId } from './source.js';

export const FIX_VERDICTS = ['better', 'gone', 'same', 'worse', 'too_few'] as const;
export type FixVerdict = (typeof FIX_VERDICTS)[number];

/** Fewer runs cannot tell a change from noise. */
export const MIN_RUNS = 3;
/** What a function blocks less, others must not block more by this share of it: else the time has only moved. */
const MOVED_SHARE = 0.5;
const MAX_CHANGES = 10;

export interface FixResult {
  readonly [field: string]: unknown;
  readonly verdict: FixVerdict;
  readonly text: string;
}

/** Whether a change has helped a culprit, or without one the whole program: only what chance does not explain counts. */
export function verifyFix(before: readonly Recording[], after: readonly Recording[], culprit?: string): FixResult {
  assertComparable(before, after);
  const unusableRuns = new Set(incompleteRuns([...before, ...after]));
  const [base, head] = [before, after].map((side) => side.filter((recording) => !unusableRuns.has(recording)));
  const runs = { before: base!.length, after: head!.length };
  const unusable = unusableRuns.size;
  const failed =
    unusable === 0 ? '' : ` ${unusable} of the recordings do not count: the program failed, or was not watched.`;
  if (runs.before < MIN_RUNS || runs.after < MIN_RUNS) {
    const text = `Too few runs to say anything: expected at least ${MIN_RUNS} before and ${MIN_RUNS} after the change, got ${runs.before} and ${runs.after}.${failed} Record the same command more often.`;
    return { verdict: 'too_few', runs, text };
  }
  const comparison = compareRecordings(base!, head!);
  const target = culprit === undefined ? undefined : targetOf(comparison.culprits, base!, culprit);
  const overall = { beforeMs: meanOf(base!, comparison.thresholdMs), afterMs: meanOf(head!, comparison.thresholdMs) };
  const changed = comparison.culprits.filter(({ verdict }) => verdict !== 'same' && verdict !== 'unclear');
  const { verdict, reason } = judge(target, comparison.culprits);
  const p = target ? target.pValue : smallestP(changed);
  const notes = caveats(comparison, base!, head!).map((note) => dataText(note));
  const subject = target ? `${quoted(target.location?.functionName ?? target.cause)}, as data` : 'the program';
  const text = `${VERDICT_TEXT[verdict]} (${subject}). ${reason} Blocked time of a run: ${formatMs(overall.beforeMs)} before, ${formatMs(overall.afterMs)} after; ${runs.before} and ${runs.after} runs${p === undefined ? '' : `, p = ${round(p, 4)}`}.${failed}`;
  const facts = {
    verdict,
    ...(p !== undefined && { p: round(p, 4) }),
    runs,
    blockedMsPerRun: { before: round(overall.beforeMs), after: round(overall.afterMs) },
    ...(target && { culprit: changeOf(target, comparison) }),
    notes,
  };
  const changes = changed.slice(0, MAX_CHANGES).map((each) => changeOf(each, comparison));
  return { ...withWhatFits(facts, { changes }), text };
}

const VERDICT_TEXT: Readonly<Record<FixVerdict, string>> = {
  better: 'Better: it blocks for less time',
  gone: 'Gone: it does not block any more',
  same: 'Same: do not call it fixed',
  worse: 'Worse: do not call it fixed',
  too_few: 'Too few runs',
};

interface Judgement {
  readonly verdict: FixVerdict;
  readonly reason: string;
}

function judge(target: ComparedCulprit | undefined, all: readonly ComparedCulprit[]): Judgement {
  const judged = target ? [target] : all;
  const others = target ? all.filter((each) => each !== target) : [];
  const lessMs = sum(judged, (each) => Math.max(0, -differenceOf(each)));
  const moreMs = sum((target ? others : all).filter(mayHaveTakenOver), differenceOf);
  const has = (...verdicts: readonly string[]): boolean => judged.some(({ verdict }) => verdicts.includes(verdict));
  const isWorse = has('new', 'worse');
  const isBetter = has('gone', 'better');
  if (isWorse && !(isBetter && moreMs < MOVED_SHARE * lessMs)) {
    return { verdict: 'worse', reason: 'Something blocks for more time than before, which chance does not explain.' };
  }
  if (!isBetter) return { verdict: 'same', reason: 'There is no change, or one that chance explains.' };
  if (moreMs >= MOVED_SHARE * lessMs) {
    return {
      verdict: 'same',
      reason: `The time has moved: ${formatMs(lessMs)} less in a run here, ${formatMs(moreMs)} more elsewhere, as where a function has only another name.`,
    };
  }
  const isGone = judged.every(({ verdict, head }) => verdict === 'gone' || head.runs === 0);
  const worse = others.filter(({ verdict }) => verdict === 'new' || verdict === 'worse');
  const but = worse.length === 0 ? '' : ` But ${worse.length} other culprits are new or worse: see changes.`;
  return { verdict: isGone ? 'gone' : 'better', reason: `Chance does not explain the difference.${but}` };
}

/** Whether it blocks for more time; where it did not block before, also if chance may explain that: it may be a new name. */
function mayHaveTakenOver({ verdict, base, head }: ComparedCulprit): boolean {
  return verdict === 'new' || verdict === 'worse' || (base.runs === 0 && head.runs > 0);
}

/** ms of blocked time in a run, more than before. */
function differenceOf({ base, head }: ComparedCulprit): number {
  return head.meanMs - base.meanMs;
}

function changeOf(culprit: ComparedCulprit, comparison: Parameters<typeof evidenceText>[1]): object {
  const { location, verdict, base, head, pValue, guess, cause } = culprit;
  return {
    function: dataText(location?.functionName ?? `no stack (${cause})`),
    place: dataText(placeOfCompared(culprit)),
    isGuess: guess,
    verdict,
    beforeMs: round(base.meanMs),
    afterMs: round(head.meanMs),
    evidence: evidenceText(culprit, comparison),
    ...(pValue !== undefined && { p: round(pValue, 4) }),
  };
}

/** The culprit that was asked for, which has to block before the change. */
function targetOf(
  culprits: readonly ComparedCulprit[],
  base: readonly Recording[],
  wanted: string,
): ComparedCulprit | undefined {
  const keys = new Map(
    base.flatMap((recording) =>
      recording.blocks.map((block) => [culpritId({ block, place: recording }), comparedKey(block, recording)] as const),
    ),
  );
  const key = keys.get(wanted);
  const found = culprits.filter(
    (each) => each.base.runs > 0 && (key === undefined ? each.location?.functionName === wanted : each.key === key),
  );
  if (found.length === 1) return found[0];
  throw new Error(
    `Expected the id of a culprit that blocks before the change, or the name of one function, got ${quoted(wanted)}, which ${found.length === 0 ? 'blocks in none of those runs' : `${found.length} culprits have`}. See list_culprits of the recordings before the change.`,
  );
}

/** Throws where the recordings say nothing about a change: of other programs, or the same run twice. */
function assertComparable(before: readonly Recording[], after: readonly Recording[]): void {
  const all = [...before, ...after];
  const runs = new Set(
    all.map(({ startedMs, durationMs, processes }) => `${startedMs} ${durationMs} ${processes[0]?.id ?? ''}`),
  );
  if (runs.size < all.length) {
    throw new Error(
      `Expected recordings of ${all.length} different runs, got some twice. Give each recording once, on one side.`,
    );
  }
  const commands = new Set(all.map(({ command }) => command.map((word) => word.split('/').at(-1)).join(' ')));
  if (commands.size > 1) {
    throw new Error(
      `Expected recordings of the same command before and after, got ${[...commands]
        .slice(0, 3)
        .map((each) => quoted(each))
        .join(' and ')}. Record the same command on both sides.`,
    );
  }
}

/** Mean blocked time of a run, ms, without waiting for a CPU. */
function meanOf(recordings: readonly Recording[], thresholdMs: number): number {
  return sum(recordings, (recording) => sum(comparedBlocks(recording, thresholdMs), ownMs)) / recordings.length;
}

function smallestP(culprits: readonly ComparedCulprit[]): number | undefined {
  const values = culprits.flatMap(({ pValue }) => pValue ?? []);
  return values.length === 0 ? undefined : Math.min(...values);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
