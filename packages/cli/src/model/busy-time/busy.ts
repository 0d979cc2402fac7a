import { definitionText } from '../blocks/culprits.js';
import { groupBy } from '../collections.js';
import { type Definition, definitionOf } from '../stacks/definition.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { CodeLocation } from '../types.js';

/*
 * The time of the loop. A busy thread is asked at random times what it does. How long its loop was busy is measured, and
 * the answers divide that time. Of a hundred answers, each stands for a hundredth of it; for more where the thread was asked
 * more rarely than at other times.
 */

/** Answers that say the same. */
export interface BusyAnswers {
  /** Absent outside of a request, and where none is known. */
  readonly request?: string;
  /** Absent where no function of the program or of a package was on the stack. */
  readonly culprit?: CodeLocation;
  /** Folded, root first: `a;b;c`. Absent where it is not known. */
  readonly stack?: string;
  /** In a block, which is reported as such, too. */
  readonly isInBlock?: true;
  /** Busy time for which they stand, ms: at which rate the thread was asked then, because that changes. */
  readonly weight: number;
  /** Part of the weight that a native call delayed: the function is what was on the stack later, a guess. */
  readonly lateWeight?: number;
}

/** Busy time of a thread's loop, and what answers say of it. */
export interface BusyPeriod {
  readonly instance: string;
  readonly threadName: string;
  /** Absent where a metric reports it: then all threads of that name. */
  readonly threadId?: number;
  /** Epoch, ms. */
  readonly startMs: number;
  /** Epoch, ms. */
  readonly endMs: number;
  readonly busyMs: number;
  /** Part of it in which the thread waited for a CPU; absent where it is not known. */
  readonly runQueueMs?: number;
  /** Garbage collections, in the part of the busy time in which they were measured; absent where they were not. */
  readonly gcMs?: number;
  readonly gcMeasuredMs?: number;
  /** Number of answers; absent where a metric has divided the time. */
  readonly answerCount?: number;
  readonly answers: readonly BusyAnswers[];
}

/** A part of the busy time. */
export interface BusyPart extends Omit<BusyAnswers, 'weight' | 'lateWeight'> {
  readonly ms: number;
  /** Part of it in which the function is a guess. */
  readonly guessMs: number;
  readonly answerCount: number;
}

/** With the column where the line has several functions, as in minified code. */
type BusyCulprit = Omit<CodeLocation, 'columnNumber'> & Partial<Pick<CodeLocation, 'columnNumber'>>;

/** The busy time of a request and function, as `--json` has it; without both, the time of which neither is known. */
export interface BusyEntry {
  readonly request?: string;
  readonly culprit?: BusyCulprit;
  readonly ms: number;
  /** Part of it that is in blocks. */
  readonly blockedMs: number;
  /** Part of it in which the function is a guess. */
  readonly guessMs: number;
  /** Number of answers behind it; 0 where it is not known. */
  readonly answers: number;
}

/** Identifies the thread of a period. */
export function busyThreadKey({ instance, threadId, threadName }: BusyPeriod): string {
  return `${instance}\n${threadId ?? threadName}`;
}

/**
 * Divides the busy time of each thread by its answers. Not period by period: a period of few answers says little, and one
 * without an answer nothing. Of a period that reaches beyond the range, only the part within it counts.
 */
export function divideBusyTime(periods: Iterable<BusyPeriod>, range?: TimeRange): BusyPart[] {
  return [...groupBy(periods, busyThreadKey).values()].flatMap((ofThread) => divideThread(ofThread, range));
}

function divideThread(periods: readonly BusyPeriod[], range: TimeRange | undefined): BusyPart[] {
  const shareOf = (period: BusyPeriod): number => shareWithin(period, range);
  const busyMs = periods.reduce((sum, period) => sum + period.busyMs * shareOf(period), 0);
  const weight = periods.reduce((sum, period) => sum + weightOf(period) * shareOf(period), 0);
  if (busyMs <= 0) return [];
  if (weight <= 0) return [{ ms: busyMs, guessMs: 0, answerCount: 0 }];
  return periods.flatMap((period) => {
    const share = shareOf(period);
    if (share === 0) return [];
    const msOfAnswer = (share * busyMs) / weight;
    const answersOfWeight = (period.answerCount ?? 0) / weightOf(period);
    return period.answers.map(({ weight: own, lateWeight = 0, ...answer }) => ({
      ...answer,
      ms: own * msOfAnswer,
      guessMs: Math.min(own, lateWeight) * msOfAnswer,
      answerCount: own * answersOfWeight * share,
    }));
  });
}

export function weightOf({ answers }: BusyPeriod): number {
  return answers.reduce((sum, { weight }) => sum + weight, 0);
}

function shareWithin({ startMs, endMs }: BusyPeriod, range: TimeRange | undefined): number {
  const durationMs = endMs - startMs;
  if (durationMs <= 0) return range && (startMs < range.fromMs || startMs > range.toMs) ? 0 : 1;
  return durationWithin({ startMs, durationMs }, range) / durationMs;
}

/** The busy time by request and function, most time first. */
export function sumBusyTime(parts: Iterable<BusyPart>): BusyEntry[] {
  return [...groupBy(parts, pairKey).values()].map(entryOf).sort((a, b) => b.ms - a.ms);
}

/**
 * Identifies a request and a function, one without a name by the place at which it is defined. The line is that of the
 * function's most frequent one.
 */
function pairKey(part: BusyPart): string {
  const { request, culprit } = part;
  return JSON.stringify([request ?? null, functionKey(culprit), definitionText(definitionIn(part))]);
}

function definitionIn({ culprit, stack }: BusyPart): Definition {
  return culprit && stack !== undefined ? definitionOf({ culprit, profile: `${stack} 1` }) : {};
}

/** Identifies a function; null where none is known. */
export function functionKey(culprit: BusyPart['culprit']): string | null {
  return culprit ? `${culprit.functionName}\n${culprit.filePath}` : null;
}

function entryOf(parts: readonly BusyPart[]): BusyEntry {
  const longest = parts.reduce((a, b) => (b.ms > a.ms ? b : a));
  const { request, culprit } = longest;
  const hasColumn = definitionIn(longest).definedAtColumn !== undefined;
  const sum = (of: (part: BusyPart) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    ...(request !== undefined && { request }),
    ...(culprit && { culprit: hasColumn ? culprit : withoutColumn(culprit) }),
    ms: rounded(sum(({ ms }) => ms)),
    blockedMs: rounded(sum(({ ms, isInBlock }) => (isInBlock ? ms : 0))),
    guessMs: rounded(sum(({ guessMs }) => guessMs)),
    answers: Math.round(sum(({ answerCount }) => answerCount)),
  };
}

function withoutColumn({ functionName, filePath, lineNumber }: CodeLocation): Omit<CodeLocation, 'columnNumber'> {
  return { functionName, filePath, lineNumber };
}

/** To microseconds: further digits would be noise. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * Time of the periods in garbage collections, ms. Undefined where they were measured for less than half of the busy time:
 * what a program allocates changes.
 */
export function gcMsOf(periods: readonly BusyPeriod[]): number | undefined {
  const [busyMs, gcMs, measuredMs] = [
    periods.reduce((sum, period) => sum + period.busyMs, 0),
    periods.reduce((sum, period) => sum + (period.gcMs ?? 0), 0),
    periods.reduce((sum, period) => sum + (period.gcMeasuredMs ?? 0), 0),
  ];
  return measuredMs <= 0 || measuredMs < busyMs / 2 ? undefined : (gcMs / measuredMs) * busyMs;
}

/** Whether the entry's function is a guess: in most of its time. */
export function isMostlyGuess({ ms, guessMs }: Pick<BusyEntry, 'ms' | 'guessMs'>): boolean {
  return guessMs > ms / 2;
}
