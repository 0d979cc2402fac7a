import type { Cause } from '../../src/contract/model.js';
import type { Expectation } from '../corpus/expectation.ts';
import { bareName } from '../corpus/judge.ts';
import type { PlainVerdict, Recorded } from './recorder/recorded.ts';
import type { Profile, RecordedRun, Truth } from './recording.ts';
import { isLong, lengthOf, measuredCauses, measuredCulprits } from './truth.ts';
import { grouped } from './grouped.ts';

/** Worst first. `undecided`: the measurements allow several answers, of which this is one, or say nothing. */
export const outcomes = ['wrong', 'absent', 'marked', 'undecided', 'right'] as const;
export type Outcome = (typeof outcomes)[number];

export const aspects = ['block', 'parent', 'culprit', 'cause'] as const;
export type Aspect = (typeof aspects)[number];

/** What is right and wrong about one block of the program, or about one reported block that the program has not. */
export interface Grade {
  readonly run: RecordedRun;
  readonly period: Recorded | undefined;
  readonly truth: Truth | undefined;
  readonly verdict: PlainVerdict | undefined;
  readonly outcome: Outcome;
  readonly aspects: Readonly<Partial<Record<Aspect, Outcome>>>;
  /** What the truth is, for the aspects that are not right. */
  readonly expected: readonly string[];
}

export interface Judged {
  readonly period: Recorded;
  readonly verdicts: readonly PlainVerdict[];
}

export interface Known {
  readonly expectation: Expectation | undefined;
  readonly isSilent: boolean;
  readonly profiles: readonly Profile[];
}

/** Grades the verdicts of one run by its truth. */
export function gradeRun(run: RecordedRun, judged: readonly Judged[], known: Known): Grade[] {
  const unused = new Set(judged.flatMap(({ period, verdicts }) => verdicts.map((verdict) => ({ period, verdict }))));
  const grades: Grade[] = [];
  for (const truth of inPeriods(run, judged)) {
    const found = best([...unused], truth);
    if (found) unused.delete(found);
    grades.push(gradeTruth(run, truth, found, known));
  }
  for (const { period, verdict } of unused) grades.push(gradeExtra(run, period, verdict, known));
  for (const { period, verdicts } of judged) {
    if (verdicts.length > 0 || run.truths.some((truth) => overlapMs(period, truth) > 0)) continue;
    if (!known.isSilent && !isStartUp(period)) continue;
    grades.push(grade(run, { period, aspects: { block: 'right' }, expected: [] }));
  }
  return grades;
}

/**
 * The blocks of the program, those of one iteration of the loop together: the one that took longest stands for them.
 */
function inPeriods({ truths }: RecordedRun, judged: readonly Judged[]): Truth[] {
  const groups = grouped(truths, (truth) => {
    const period = judged.find((each) => overlapMs(each.period, truth) > lengthOf(truth) / 2)?.period;
    return period ?? truth;
  });
  return [...groups.values()].map((some) => some.reduce(joined));
}

function joined(a: Truth, b: Truth): Truth {
  const sum = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined || y === undefined ? undefined : x + y;
  return {
    ...(lengthOf(b) > lengthOf(a) ? b : a),
    startNowMs: Math.min(a.startNowMs, b.startNowMs),
    endNowMs: Math.max(a.endNowMs, b.endNowMs),
    cpuMs: sum(a.cpuMs, b.cpuMs),
    runQueueMs: sum(a.runQueueMs, b.runQueueMs),
    throttledMs: sum(a.throttledMs ?? 0, b.throttledMs ?? 0),
    gcMs: a.gcMs + b.gcMs,
    // Several functions: no profile shows them together.
    isJoined: true,
  };
}

/** Start-up is no block: it delays no event. */
function isStartUp({ period: { startUp }, given: { countsStartUp } }: Recorded): boolean {
  return startUp === 'likely' && !countsStartUp;
}

type Found = { readonly period: Recorded; readonly verdict: PlainVerdict } | undefined;

function best(candidates: readonly NonNullable<Found>[], truth: Truth): Found {
  const overlaps = candidates
    .filter(({ period }) => period.given.threadId === truth.threadId)
    .map((found) => ({ found, ms: commonMs(found, truth) }))
    .filter(({ ms }) => ms > lengthOf(truth) / 2);
  return overlaps.sort((a, b) => b.ms - a.ms)[0]?.found;
}

function commonMs({ period: { startNowMs }, verdict }: NonNullable<Found>, truth: Truth): number {
  const [start, end] = [startNowMs + verdict.start, startNowMs + verdict.end];
  return Math.min(end, truth.endNowMs) - Math.max(start, truth.startNowMs);
}

function overlapMs({ startNowMs, period, given }: Recorded, truth: Truth): number {
  if (given.threadId !== truth.threadId) return 0;
  return Math.min(startNowMs + period.end, truth.endNowMs) - Math.max(startNowMs, truth.startNowMs);
}

const DEFAULT_THRESHOLD_MS = 100;

function gradeTruth(run: RecordedRun, truth: Truth, found: Found, known: Known): Grade {
  const long = isLong(truth, found?.period.given.thresholdMs ?? DEFAULT_THRESHOLD_MS);
  if (found === undefined) {
    const block = long === 'yes' ? 'wrong' : long === 'no' ? 'right' : 'undecided';
    return grade(run, { truth, aspects: { block }, expected: [`a block of ${lengthOf(truth).toFixed(0)} ms`] });
  }
  if (long === 'no') {
    const expected = [`no block: ${lengthOf(truth).toFixed(0)} ms`];
    return grade(run, { ...found, truth, aspects: { block: stretched(found) ? 'undecided' : 'wrong' }, expected });
  }
  const block = covers(found, truth) ? 'right' : 'wrong';
  const parent = gradeParent(found, truth, known);
  const culprit = gradeCulprit(found, truth, known);
  const cause = gradeCause(found, truth, known);
  return grade(run, {
    ...found,
    truth,
    aspects: { block, parent: parent.outcome, culprit: culprit.outcome, cause: cause.outcome },
    expected: [
      ...(block === 'right'
        ? []
        : [
            `${(truth.startNowMs - found.period.startNowMs).toFixed(0)}–${(truth.endNowMs - found.period.startNowMs).toFixed(0)} ms`,
          ]),
      ...[parent, culprit, cause].flatMap(({ expected }) => expected),
    ],
  });
}

/** A reported block in which the program marks none. */
function gradeExtra(run: RecordedRun, period: Recorded, verdict: PlainVerdict, { isSilent }: Known): Grade {
  const isWrong = (isSilent || isStartUp(period)) && !stretched({ period, verdict });
  const block = isWrong ? 'wrong' : 'undecided';
  return grade(run, { period, verdict, aspects: { block }, expected: isWrong ? ['no block'] : [] });
}

/** Whether the block is one only by its wait for a CPU, and says so. */
function stretched({ verdict }: NonNullable<Found>): boolean {
  return verdict.cause === 'cpu_starved' || (verdict.runQueueMs ?? 0) > verdict.durationMs / 2;
}

/**
 * With a tolerance of a tenth of the block plus 20 ms on either side, what the thread waited for a CPU around it, and what
 * is outside of the block between its start and its end.
 */
function covers({ period: { startNowMs }, verdict }: NonNullable<Found>, truth: Truth): boolean {
  const aroundMs = Math.max(0, (verdict.runQueueMs ?? 0) - (truth.runQueueMs ?? 0));
  const outsideMs = verdict.end - verdict.start - verdict.durationMs;
  const slackMs = 20 + lengthOf(truth) / 10 + aroundMs + outsideMs;
  return (
    Math.abs(startNowMs + verdict.start - truth.startNowMs) < slackMs &&
    Math.abs(startNowMs + verdict.end - truth.endNowMs) < slackMs
  );
}

interface Partly {
  readonly outcome: Outcome;
  readonly expected: readonly string[];
}

const right: Partly = { outcome: 'right', expected: [] };

function gradeParent({ period, verdict }: NonNullable<Found>, truth: Truth, { expectation }: Known): Partly {
  if (expectation?.parent === 'any') return { outcome: 'undecided', expected: [] };
  const context = verdict.mainContext === undefined ? undefined : period.contexts[verdict.mainContext];
  const span = context?.span ?? '';
  if (span === truth.span) return right;
  const outcome = span === '' ? 'absent' : 'wrong';
  return { outcome, expected: [`in ${truth.spanName ?? 'no span'}`] };
}

function profileOf({ profiles }: Known, { id, isJoined = false }: Truth): Profile | undefined {
  if (isJoined) return undefined;
  return profiles.find((profile) => profile.id === id);
}

function gradeCulprit({ verdict }: NonNullable<Found>, truth: Truth, known: Known): Partly {
  const allowed = truth.isJoined === true ? [] : allowedCulprits(profileOf(known, truth), known);
  if (allowed.length === 0) return { outcome: 'undecided', expected: [] };
  const { culprit } = verdict;
  const expected = [...new Set(allowed.map(({ name }) => name))];
  if (culprit === undefined) return { outcome: 'absent', expected };
  if (allowed.some(({ isCulprit }) => isCulprit(culprit))) return right;
  return { outcome: verdict.quality === 'post_native' ? 'marked' : 'wrong', expected };
}

interface Allowed {
  readonly name: string;
  readonly isCulprit: (culprit: NonNullable<PlainVerdict['culprit']>) => boolean;
}

/**
 * By V8's profiler, and by the statement of the program where it has one that the profiler cannot know: mapped code, and
 * functions that are evaluated as text, which have no file.
 */
function allowedCulprits(profile: Profile | undefined, { expectation }: Known): Allowed[] {
  const isBuilt = expectation !== undefined && expectation.run !== expectation.program;
  const stated: Allowed[] = (expectation?.culprits ?? []).map((name) => ({
    name,
    isCulprit: ({ functionName, lineNumber }) =>
      bareName(functionName) === name && isWithin(expectation?.lines, lineNumber),
  }));
  const measured: Allowed[] = measuredCulprits(profile).map(({ functionName, url, line }) => ({
    name: `${functionName || '<anonymous>'}:${line}`,
    isCulprit: ({ fileName, functionLineNumber }) => url.endsWith(fileName) && functionLineNumber === line,
  }));
  const isEvaluated = stated.length > 0 && !stated.some(({ name }) => isProfiled(name, profile));
  return isBuilt || isEvaluated || measured.length === 0 ? stated : measured;
}

function isProfiled(name: string, profile: Profile | undefined): boolean {
  return profile?.functions.some(({ functionName }) => bareName(functionName) === name) ?? false;
}

function isWithin(lines: Expectation['lines'], line: number): boolean {
  return lines === undefined || (line >= lines[0] && line <= lines[1]);
}

function gradeCause({ period, verdict }: NonNullable<Found>, truth: Truth, known: Known): Partly {
  const measured = measuredCauses(truth, profileOf(known, truth), period.given.thresholdMs);
  // Where the measurements leave several, the program may have one of them.
  const [stated, ...more] = (known.expectation?.causes ?? []).filter((cause) => measured.includes(cause));
  const allowed = stated !== undefined && more.length === 0 && isOfCode(measured) ? [stated] : measured;
  if (allowed.length === 0) return { outcome: 'undecided', expected: [] };
  if (allowed.some((cause) => cause === verdict.cause)) {
    return allowed.length === 1 ? right : { outcome: 'undecided', expected: [] };
  }
  return { outcome: verdict.cause === 'unknown' ? 'absent' : 'wrong', expected: [allowed.join('|')] };
}

/** Whether the measurements leave open only what kind of code ran. */
function isOfCode(causes: readonly Cause[]): boolean {
  return causes.every((cause) => cause === 'native' || cause === 'javascript');
}

function grade(
  run: RecordedRun,
  given: Pick<Grade, 'aspects' | 'expected'> & Partial<Pick<Grade, 'period' | 'truth' | 'verdict'>>,
): Grade {
  const { period, truth, verdict, aspects: all, expected } = given;
  const decided = Object.values(all);
  const outcome = outcomes.find((each) => each !== 'undecided' && decided.includes(each)) ?? 'undecided';
  return { run, period, truth, verdict, outcome, aspects: all, expected };
}
