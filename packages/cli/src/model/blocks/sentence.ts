import { adviceText, commonKind, type CommonKind, type KindedBlock } from '../advice/culprit-kind.js';
import { largest } from '../collections.js';
import { formatMs, formatShare, plural } from '../text/format.js';
import { functionOfCulprit } from '../text/guess.js';
import { formatPlace } from '../text/place.js';
import { durationWithin, type TimeRange } from '../time-range.js';
import type { Block, Culprit, VictimSummary } from '../types.js';
import { cpuWaitText } from './cpu-wait.js';
import { culpritKey, rankCulprits, summariseCulprit, timesOf } from './culprits.js';

/** What the sentence about a culprit says; what is not known is absent. */
export interface CulpritFacts {
  /** With the mark of a guess. */
  readonly functionName?: string;
  readonly place?: string;
  readonly cause: string;
  /** Of the blocked time, 0 to 1. */
  readonly share: number;
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
  /** How long it waited for a CPU, where that is most of its time, or its cause: then the code is not what to mend first. */
  readonly cpuWait?: string;
  /** Names of the requests in which it blocked. */
  readonly requests: readonly string[];
  /** In how many blocks these requests ran, where the others have none. */
  readonly countInRequests?: number;
  readonly victims?: { readonly count: number; readonly areRequests: boolean; readonly longestMs?: number };
  /** The first version in which it blocks, if versions before it did not. */
  readonly newIn?: string;
  /** What the code looks like, where the stacks show it. */
  readonly kind?: CommonKind;
}

interface Options {
  /** Paths are shortened relative to it. */
  readonly directory?: string | undefined;
  readonly range?: TimeRange | undefined;
  /** Key of the culprit that it is about; default: the one with the most blocked time. */
  readonly culprit?: string | undefined;
  /** The version in which the culprit with this key is new, where that is known. */
  readonly newIn?: ((culprit: string) => string | undefined) | undefined;
}

/**
 * The sentence about a culprit, the same everywhere: `createSpans (src/runs/trace-view.ts:17) took 77 % of the blocked
 * time: 4 blocks, 9.8 s, longest 2.5 s, in GET /runs/:runId/trace; 125 requests waited, up to 2.4 s. New in 1.3.0. Looks
 * like a nested scan: https://….`
 */
export function culpritSentence(facts: CulpritFacts): string {
  const { share, count, totalMs, longestMs, cpuWait, newIn, kind } = facts;
  const clauses = [
    plural(count, 'block'),
    roundedMs(totalMs),
    ...(cpuWait === undefined ? [] : [cpuWait]),
    ...(count > 1 ? [`longest ${roundedMs(longestMs)}`] : []),
    ...requestsText(facts),
  ];
  const victims = facts.victims === undefined ? '' : `; ${waitedText(facts.victims)}`;
  const since = newIn === undefined ? '' : ` New in ${newIn}.`;
  const advice = kind === undefined ? '' : ` ${adviceText(kind)}`;
  return `${subjectText(facts)} took ${formatShare(share)} of the blocked time: ${clauses.join(', ')}${victims}.${since}${advice}`;
}

/** The sentence about a culprit of the blocks; undefined without blocks. */
export function sentenceOf(blocks: readonly KindedBlock[], options: Options = {}): string | undefined {
  const { range, culprit, newIn } = options;
  const culprits = rankCulprits(blocks, range);
  const subject = culprit === undefined ? culprits[0] : culprits.find(({ key }) => key === culprit);
  if (subject === undefined) return undefined;
  const own = blocks.filter((block) => culpritKey(block) === subject.key);
  return sentenceAbout(own, blocks, { ...options, newIn: newIn?.(subject.key) });
}

/**
 * The sentence, and where another culprit is new in a version, the one about that: who deployed wants to know it, also
 * while others block for longer.
 */
export function sentencesOf(blocks: readonly KindedBlock[], options: Options = {}): string[] {
  const { range, culprit, newIn } = options;
  const first = sentenceOf(blocks, options);
  if (first === undefined || culprit !== undefined || newIn === undefined) return first === undefined ? [] : [first];
  const [, ...others] = rankCulprits(blocks, range);
  const added = others.find(({ key }) => newIn(key) !== undefined);
  const second = added && sentenceOf(blocks, { ...options, culprit: added.key });
  return second === undefined ? [first] : [first, second];
}

/** The sentence about the culprit of `own` blocks, one or more, which are among all blocks. */
export function sentenceAbout(
  own: readonly KindedBlock[],
  all: readonly KindedBlock[],
  { directory, range, newIn }: Pick<Options, 'directory' | 'range'> & { readonly newIn?: string | undefined },
): string {
  const culprit = summariseCulprit('', own, range);
  const blockedMs = all.reduce((total, block) => total + durationWithin(block, range), 0);
  const functionName = functionOfCulprit(culprit);
  const victims = victimsOf(own);
  const inRequests = own.filter(({ request }) => request !== undefined);
  const kind = commonKind(own);
  const cpuWait = cpuWaitOf(culprit);
  return culpritSentence({
    ...(functionName !== undefined && { functionName }),
    ...(culprit.location && { place: formatPlace(culprit.location, directory) }),
    cause: culprit.cause,
    share: blockedMs > 0 ? culprit.totalMs / blockedMs : 0,
    count: culprit.count + culprit.suppressedCount,
    totalMs: culprit.totalMs,
    longestMs: culprit.longestMs,
    ...(cpuWait !== undefined && { cpuWait }),
    requests: [...new Set(inRequests.flatMap(({ request }) => request ?? []))],
    ...(inRequests.length < own.length && { countInRequests: inRequests.length }),
    ...(victims && { victims }),
    ...(newIn !== undefined && { newIn }),
    ...(kind && { kind }),
  });
}

function cpuWaitOf(culprit: Culprit): string | undefined {
  const { cause, totalMs, runQueueMs = 0 } = culprit;
  return cause === 'cpu_starved' || runQueueMs >= totalMs / 2 ? cpuWaitText(timesOf(culprit)) : undefined;
}

/** A request that several blocks delayed counts for each of them: of the blocks, only the numbers are known. */
function victimsOf(blocks: readonly Block[]): CulpritFacts['victims'] {
  const delaying = blocks.filter(({ victimCount = 0 }) => victimCount > 0);
  if (delaying.length === 0) return undefined;
  const summaries = delaying.flatMap(({ victimSummary }): VictimSummary[] => (victimSummary ? [victimSummary] : []));
  const areAllKnown = summaries.length === delaying.length;
  const longestMs = largest(summaries.map((summary) => summary.longestMs));
  return {
    count: delaying.reduce((total, { victimCount = 0 }) => total + victimCount, 0),
    areRequests: areAllKnown && summaries.every(({ nameKind }) => nameKind !== 'name'),
    ...(areAllKnown && longestMs > 0 && { longestMs }),
  };
}

/** `createSpans (src/runs/trace-view.ts:17)` */
export function subjectText({
  functionName,
  place,
  cause,
}: Pick<CulpritFacts, 'functionName' | 'place' | 'cause'>): string {
  if (functionName === undefined) return `Code without a stack (${cause})`;
  return place === undefined ? functionName : `${functionName} (${place})`;
}

/** `in GET /a`, `in 3 routes`, `5 of them in 3 operations`: a span's name is no route where a job or a message has it. */
function requestsText({ requests, countInRequests }: CulpritFacts): string[] {
  const [first] = requests;
  if (first === undefined) return [];
  const some = countInRequests === undefined ? '' : `${countInRequests} of them `;
  if (requests.length === 1) return [`${some}in ${first}`];
  const areRoutes = requests.every((name) => /^[A-Z]+ \//.test(name));
  return [`${some}in ${plural(requests.length, areRoutes ? 'route' : 'operation')}`];
}

function waitedText({ count, areRequests, longestMs }: NonNullable<CulpritFacts['victims']>): string {
  const longest = longestMs === undefined ? '' : `, up to ${roundedMs(longestMs)}`;
  return `${plural(count, areRequests ? 'request' : 'span')} waited${longest}`;
}

/** `850 ms`, `2.4 s`, `1 min 45 s`: a sentence needs no third digit. */
export function roundedMs(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 99_950 ? `${(ms / 1000).toFixed(1)} s` : formatMs(Math.max(ms, 100_000));
}
