import { groupBy } from '../collections.js';
import { summariseLag } from '../delays/histogram.js';
import { cpuWaitShareText, gcShareText } from '../text/busy-share.js';
import { formatMs, formatShare } from '../text/format.js';
import { GUESS_MARK } from '../text/guess.js';
import { formatPlace } from '../text/place.js';
import { overlapMs } from '../time-range.js';
import type { Block, Instance, LagPoint } from '../types.js';
import {
  type BusyEntry,
  type BusyPart,
  type BusyPeriod,
  busyThreadKey,
  divideBusyTime,
  gcMsOf,
  isMostlyGuess,
  sumBusyTime,
} from './busy.js';
import { precisionText, shareInterval } from '../text/share-interval.js';

/*
 * What keeps a loop busy where no single block does. Said of threads that had hardly a pause: at 70 % of its time, an
 * arrival already waits for more than two others on average, and below, the wait is short.
 */

/** A period counts as saturated from this share of busy time on. */
const SATURATED_SHARE = 0.7;
/** Shorter saturation ends by itself before it delays many: a start, a reload. */
const MIN_SATURATED_MS = 3_000;
/** Blocks that hold more of the busy time are the answer themselves. */
const MAX_BLOCKED_SHARE = 0.5;
/**
 * With fewer answers, the interval of a share is wider than 10 points to each side: the first function could well be the
 * third.
 */
export const MIN_ANSWERS = 100;
/** Smaller shares are not named, and none whose interval reaches down to hardly anything. */
const MIN_SHARE = 0.1;
const MIN_LOW_SHARE = 0.05;
const MAX_PARTS = 3;
const MAX_SENTENCES = 3;

export interface BusyFacts {
  readonly periods: readonly BusyPeriod[];
  readonly blocks: readonly Block[];
  readonly lag: readonly LagPoint[];
  readonly instances: readonly Instance[];
  readonly directory?: string | undefined;
}

/** A sentence for each of the saturated threads, those with most busy time first; equal threads of a service share one. */
export function busySentences(facts: BusyFacts): string[] {
  const services = new Map(facts.instances.map(({ id, service }) => [id, service]));
  const groups = groupBy(saturatedThreads(facts).flat(), ({ instance, threadName }) =>
    JSON.stringify([services.get(instance), threadName]),
  );
  const isOne = new Set(facts.periods.map(({ instance }) => services.get(instance))).size < 2;
  return [...groups.values()]
    .sort((a, b) => busyMsOf(b) - busyMsOf(a))
    .flatMap((periods) => sentence(periods, facts, isOne ? undefined : services.get(periods[0]!.instance)) ?? [])
    .slice(0, MAX_SENTENCES);
}

/** The saturated periods of each thread that was saturated for long enough. */
function saturatedThreads({ periods }: BusyFacts): BusyPeriod[][] {
  return [...groupBy(periods, busyThreadKey).values()]
    .map((ofThread) => ofThread.filter((period) => period.busyMs >= SATURATED_SHARE * lengthOf(period)))
    .filter((saturated) => saturated.reduce((sum, period) => sum + lengthOf(period), 0) >= MIN_SATURATED_MS);
}

function sentence(periods: readonly BusyPeriod[], facts: BusyFacts, service: string | undefined): string | undefined {
  const busyMs = busyMsOf(periods);
  const answers = periods.reduce((sum, { answerCount = 0 }) => sum + answerCount, 0);
  const blockedShare = blockedMs(periods, facts.blocks) / busyMs;
  if (answers < MIN_ANSWERS || blockedShare > MAX_BLOCKED_SHARE) return undefined;
  const byThread = groupBy(periods, busyThreadKey);
  const lengthMs = periods.reduce((sum, period) => sum + lengthOf(period), 0);
  const seconds = Math.round(lengthMs / byThread.size / 1000);
  const subject = subjectOf(periods[0]!.threadName, byThread.size, service);
  const parts = partsText(
    divideBusyTime(periods).filter(({ isInBlock }) => !isInBlock),
    busyMs,
    answers,
    facts,
  );
  return `${subject} busy ${formatShare(Math.min(1, busyMs / lengthMs))} of ${seconds} s, ${starvedText(periods, busyMs)}${collectedText(periods, busyMs)}${blockText(blockedShare)}: ${parts} (${precisionText(answers)}).${waitText(periods, facts.lag)}`;
}

function subjectOf(threadName: string, count: number, service: string | undefined): string {
  const of = service === undefined ? '' : ` of ${service}`;
  if (threadName === 'main') return count === 1 ? `The loop${of} was` : `The loops of ${count} processes${of} were`;
  return count === 1 ? `Thread ${threadName}${of} was` : `${count} threads ${threadName}${of} were`;
}

/** What the loop was busy with then was the CPU that it did not have. */
function starvedText(periods: readonly BusyPeriod[], busyMs: number): string {
  const runQueueMs = periods.reduce((sum, { runQueueMs: own = 0 }) => sum + own, 0);
  const text = cpuWaitShareText(runQueueMs, busyMs);
  return text === '' ? '' : `${text}, `;
}

/** Collections are no code of the application: its functions are those that allocate. */
function collectedText(periods: readonly BusyPeriod[], busyMs: number): string {
  const text = gcShareText(gcMsOf(periods), busyMs);
  return text === '' ? '' : `${text}, `;
}

function blockText(share: number): string {
  return share === 0 ? 'no block' : `${formatShare(share)} of it in blocks`;
}

/** `41 % in GET /search, parseFilters (src/filters.ts:12); 22 % in GET /list`, of all busy time. */
function partsText(parts: readonly BusyPart[], busyMs: number, answers: number, { directory }: BusyFacts): string {
  const isShown = ({ ms }: BusyEntry): boolean =>
    ms >= MIN_SHARE * busyMs && shareInterval((ms / busyMs) * answers, answers).low >= MIN_LOW_SHARE;
  const shares = (entries: readonly BusyEntry[]): string[] =>
    entries.filter(isShown).map((entry) => `${formatShare(entry.ms / busyMs)} ${placeText(entry, directory)}`);
  const unseen = unseenText(parts, isShown, busyMs);
  const pairs = shares(sumBusyTime(parts.filter(({ culprit }) => culprit)));
  if (pairs.length > 0) return [...pairs.slice(0, MAX_PARTS), ...unseen].join('; ');
  // Many functions of one request, or one function of many requests.
  const requests = shares(sumBusyTime(parts.flatMap(({ culprit: _culprit, ...part }) => (part.request ? [part] : []))));
  if (requests.length > 0) return `${requests.slice(0, MAX_PARTS).join('; ')}, in many functions`;
  const functions = shares(
    sumBusyTime(parts.flatMap(({ request: _request, ...part }) => (part.culprit ? [part] : []))),
  );
  if (functions.length > 0) return [...functions.slice(0, MAX_PARTS), ...unseen].join('; ');
  const many = `in many functions, none of them with ${formatShare(MIN_SHARE)} of it`;
  if (unseen.length === 0) return many;
  const hasOthers = parts.reduce((sum, { culprit, ms }) => sum + (culprit ? ms : 0), 0) >= MIN_SHARE * busyMs;
  return [...unseen, ...(hasOthers ? [`the rest ${many}`] : [])].join('; ');
}

/**
 * Where no function was on the stack, as between two callbacks or right after a native call: otherwise the reader takes
 * this time for that of functions too small to be named.
 */
function unseenText(
  parts: readonly BusyPart[],
  isShown: (entry: BusyEntry) => boolean,
  busyMs: number,
): readonly string[] {
  const unseen = parts.flatMap(({ request: _request, ...part }) => (part.culprit ? [] : [part]));
  return sumBusyTime(unseen)
    .filter(isShown)
    .map(({ ms }) => `${formatShare(ms / busyMs)} in no known function`);
}

function placeText(entry: BusyEntry, directory: string | undefined): string {
  const { request, culprit } = entry;
  const mark = isMostlyGuess(entry) ? `${GUESS_MARK} ` : '';
  const code = culprit && `${mark}${culprit.functionName} (${formatPlace({ columnNumber: 0, ...culprit }, directory)})`;
  return `in ${[request, code].filter((text) => text !== undefined).join(', ')}`;
}

/** How long an event that arrives meanwhile waits for the loop. Empty where it is not known. */
function waitText(periods: readonly BusyPeriod[], lag: readonly LagPoint[]): string {
  const threads = groupBy(periods, ({ instance, threadName }) => `${instance}\n${threadName}`);
  const points = lag.filter(({ instance, threadName, startMs, endMs }) =>
    threads
      .get(`${instance}\n${threadName}`)
      ?.some((period) => overlapMs(startMs, endMs, period.startMs, period.endMs) > 0),
  );
  const summary = summariseLag(points);
  if (!summary) return '';
  const [half, tenth] = [formatMs(summary.p50Ms), formatMs(summary.p90Ms)];
  return ` What arrives then waits ${half} for the loop, one in ten ${tenth} or longer, at each step of a request.`;
}

function blockedMs(periods: readonly BusyPeriod[], blocks: readonly Block[]): number {
  const byThread = groupBy(periods, ({ instance, threadName, threadId }) => `${instance}\n${threadId ?? threadName}`);
  return blocks.reduce((sum, { instance, threadId, threadName, startMs, durationMs }) => {
    const ofThread = byThread.get(`${instance}\n${threadId}`) ?? byThread.get(`${instance}\n${threadName}`) ?? [];
    const within = ofThread.map((period) => overlapMs(startMs, startMs + durationMs, period.startMs, period.endMs));
    return sum + within.reduce((total, ms) => total + ms, 0);
  }, 0);
}

function busyMsOf(periods: readonly BusyPeriod[]): number {
  return periods.reduce((sum, period) => sum + period.busyMs, 0);
}

function lengthOf({ startMs, endMs }: BusyPeriod): number {
  return endMs - startMs;
}
