import { blockedSpans, epochMs } from '@loopwatch/test-support';
import type { SpanRecord, Telemetry, TruthRecord } from '@loopwatch/test-support';

import { ATTR_BLOCKED_WAIT_TIME } from '../../src/semconv.ts';

/** What is reported of one span's wait, and what the program measured. */
export interface Wait {
  readonly name: string;
  readonly reportedMs: number;
  /** Time in which others worked within reported blocks while the span was open. */
  readonly leastMs: number;
  /** Time of reported blocks in which the span was open and did not work itself: more than that it cannot have waited. */
  readonly mostMs: number;
  /** Links to blocks of its own making, or at another time. */
  readonly wrongLinks: number;
}

export interface VictimCounts {
  readonly blocks: number;
  /** Blocks whose parent did not have most of the work, or that have none although a request worked. */
  readonly wrongParents: number;
  /** Spans that can wait: of servers and consumers, and local roots. */
  readonly spans: number;
  /** Spans with a wait. */
  readonly victims: number;
  /** Victims that cannot have waited for half of that, or not for that block. */
  readonly falseVictims: readonly Wait[];
  /** How much longer all reported waits are than they can have been, ms. */
  readonly excessMs: number;
  readonly reportedMs: number;
  /** Spans that waited for a whole block of others, and for which less than half of that is reported. */
  readonly missedVictims: readonly Wait[];
}

/** The program reads the wall clock in whole milliseconds, at either end of a piece of work. */
const SLACK_MS = 5;
/** A shorter wait of others may be one that ended in the block's own iteration, or began in it. */
const MISSED_MS = 100;

const SERVER = 1;
const CONSUMER = 4;

interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** Compares the reported waits and parents with the pieces of work that the program has recorded. */
export function judgeVictims(telemetry: Telemetry): VictimCounts {
  const blocks = blockedSpans(telemetry);
  const waits = telemetry.spans.filter(canWait).map((span) => waitOf(span, blocks, telemetry.truths));
  return {
    blocks: blocks.length,
    wrongParents: blocks.filter((block) => !isParentRight(block, telemetry)).length,
    spans: waits.length,
    victims: waits.filter(({ reportedMs }) => reportedMs > 0).length,
    falseVictims: waits.filter(isFalse),
    excessMs: sum(waits.map(({ reportedMs, mostMs }) => Math.max(0, reportedMs - mostMs))),
    reportedMs: sum(waits.map(({ reportedMs }) => reportedMs)),
    missedVictims: waits.filter(({ reportedMs, leastMs }) => leastMs >= MISSED_MS && reportedMs < leastMs / 2),
  };
}

function isFalse({ reportedMs, mostMs, wrongLinks }: Wait): boolean {
  return wrongLinks > 0 || mostMs < reportedMs / 2 - SLACK_MS;
}

function canWait({ name, kind, parentSpanId }: SpanRecord): boolean {
  if (name === 'event-loop-blocked') return false;
  return kind === SERVER || kind === CONSUMER || parentSpanId === undefined;
}

function waitOf(span: SpanRecord, blocks: readonly SpanRecord[], truths: readonly TruthRecord[]): Wait {
  const open = openIntervalOf(span);
  const isOwn = ({ traceId }: TruthRecord): boolean => traceId === span.traceId;
  const own = truths.filter(isOwn).map(workOf);
  const others = truths.filter((truth) => !isOwn(truth)).map(workOf);
  const most = (block: SpanRecord): number => {
    const both = overlap(open, intervalOf(block));
    return lengthOf(both) - lengthWithin(own, both);
  };
  return {
    name: span.name,
    reportedMs: Number(span.attributes[ATTR_BLOCKED_WAIT_TIME] ?? 0) * 1000,
    leastMs: sum(blocks.map((block) => lengthWithin(others, overlap(open, intervalOf(block))))),
    mostMs: sum(blocks.map(most)),
    wrongLinks: blocks.filter((block) => isLinked(span, block) && (isOwnBlock(span, block) || isApart(open, block)))
      .length,
  };
}

function isLinked({ links }: SpanRecord, { spanId }: SpanRecord): boolean {
  return links.some((link) => link.spanId === spanId);
}

/** The block of a request's own making: it never waits for it. */
function isOwnBlock({ traceId }: SpanRecord, block: SpanRecord): boolean {
  return block.parentSpanId !== undefined && block.traceId === traceId;
}

function isApart({ startMs, endMs }: Interval, block: SpanRecord): boolean {
  const { startMs: blockStartMs, endMs: blockEndMs } = intervalOf(block);
  return startMs > blockEndMs + SLACK_MS || endMs < blockStartMs - SLACK_MS;
}

/**
 * Whether the block's parent, or a span of the same trace, can have had the most of it; without a parent, no request need
 * have had any. Between the pieces of work, on a busy host mostly in waits for a CPU, any of them can have run.
 */
function isParentRight(block: SpanRecord, { truths }: Pick<Telemetry, 'truths'>): boolean {
  const within = intervalOf(block);
  const byTrace = new Map<string, number>();
  for (const truth of truths) {
    const ms = lengthWithin([workOf(truth)], within);
    const key = truth.traceId ?? '';
    byTrace.set(key, (byTrace.get(key) ?? 0) + ms);
  }
  const most = Math.max(0, ...byTrace.values());
  const ofParent = byTrace.get(block.traceId) ?? 0;
  const betweenMs = Math.max(0, lengthOf(within) - sum([...byTrace.values()]));
  // Pieces of two requests that are nearly as long decide nothing.
  return ofParent + betweenMs + SLACK_MS >= 0.9 * most;
}

function intervalOf({ startTime, endTime }: SpanRecord): Interval {
  return { startMs: epochMs(startTime), endMs: epochMs(endTime) };
}

/**
 * When the span was open, at most. The SDK counts its end from its start with two clocks; a thread that waits for a CPU
 * between its reads of the two gets an end that is too early by that.
 */
function openIntervalOf(span: SpanRecord): Interval {
  const { startMs, endMs } = intervalOf(span);
  return {
    startMs: Math.min(startMs, span.open?.startEpochMs ?? startMs),
    endMs: Math.max(endMs, span.open?.endEpochMs ?? endMs),
  };
}

function workOf({ startEpochMs, endEpochMs }: TruthRecord): Interval {
  return { startMs: startEpochMs, endMs: endEpochMs };
}

function overlap(a: Interval, b: Interval): Interval {
  return { startMs: Math.max(a.startMs, b.startMs), endMs: Math.min(a.endMs, b.endMs) };
}

function lengthOf({ startMs, endMs }: Interval): number {
  return Math.max(0, endMs - startMs);
}

function lengthWithin(pieces: readonly Interval[], within: Interval): number {
  return sum(pieces.map((piece) => lengthOf(overlap(piece, within))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
