import type { ContextReader } from '../contract/context-reader.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Attribution, Block, Frame, GcPauses, Sample } from '../contract/model.js';
import { withoutApplicationTimes } from './application-times.js';
import { attribute } from './attribute.js';
import { blockTimes } from './block-times.js';
import type { BusyPeriod } from './busy-period.js';
import { contextSpells } from './context-spells.js';
import { withCutCallers } from './cut-stacks.js';
import { debuggerPauseMs } from './debugger-pause.js';
import { isTelemetryWork } from './telemetry-work.js';
import { isStartUp } from './start-up-samples.js';
import { isUnprovenSleep, withProvenSleep } from './unproven-sleep.js';
import { weighSamples, type WeightedSample } from './weights.js';

export interface Judgement {
  /** Absent when the busy period was not a block. */
  readonly block?: Block;
  /** Time of the busy period at a breakpoint. */
  readonly pausedMs: number;
}

/** Input of the judgement besides the busy period. */
export interface JudgeContext {
  readonly thresholdMs: number;
  /** Intervals that are not counted: suspensions, and work that is not the application's. */
  readonly excluded: readonly Interval[];
  /** When the thread did not run: suspensions of the process, and sleeps in a call right after the busy period. */
  readonly standstills: readonly Interval[];
  /** When this package worked in the thread. */
  readonly ownWork: readonly Interval[];
  /** When the SDK starts that this package has started in this thread. */
  readonly sdkStart: Interval | undefined;
  readonly gc: GcPauses;
  /** A watchdog runs that asks this thread for samples when it is late. */
  readonly isSampled: boolean;
  /** Start-up is judged like any other busy period. */
  readonly countsStartUp: boolean;
  readonly threadId: number;
  readonly threadName: string;
  readonly infoOf: ContextReader['infoOf'];
  /** Maps frames of generated code to their source. */
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
}

/** Decides whether a busy period was a block, and attributes it to code. */
export function judge(period: BusyPeriod, given: JudgeContext): Judgement {
  const context = { ...given, excluded: withEdges(period, excludedFrom(period, given), given.sdkStart) };
  const isInspected = period.samples.some(({ inspected }) => inspected);
  const pausedMs = isInspected ? debuggerPauseMs(weighSamples(period.samples, period, context.gc.pauses), period) : 0;
  const durationMs = period.end - period.start - pausedMs - overlapMs(period, context.excluded);
  if (durationMs < context.thresholdMs) return { pausedMs };
  if (!context.countsStartUp && isStartUp(period)) return { pausedMs };
  const paused = { start: period.end - pausedMs, end: period.end };
  const excluded = pausedMs > 0 ? [...context.excluded, paused] : context.excluded;
  const samples = countedSamples(period, context);
  const block = makeBlock(period, samples, durationMs, { ...context, excluded });
  const isNoBlock =
    isUnseenSleep(block, samples) ||
    (context.isSampled && isUnprovenSleep(block, samples, period.looks)) ||
    ((context.isSampled || period.mayHaveLostIdle) && isUnseenStop(block, samples)) ||
    isTelemetryWork(block, samples, context);
  if (isNoBlock) return { pausedMs };
  return { pausedMs, block: { ...block, attribution: withProvenSleep(block.attribution, samples, period.looks) } };
}

/**
 * What is excluded from a busy period: not what the application did while the SDK was loaded. The interval of the load
 * begins with the start of the SDK.
 */
function excludedFrom(period: BusyPeriod, { excluded, sdkStart, gc }: JudgeContext): readonly Interval[] {
  const isSdkLoad = ({ start }: Interval): boolean => start === sdkStart?.start;
  if (period.samples.length === 0 || !excluded.some(isSdkLoad)) return excluded;
  const samples = weighSamples(period.samples, period, gc.pauses);
  return excluded.flatMap((interval) =>
    isSdkLoad(interval) ? withoutApplicationTimes(interval, period, samples) : [interval],
  );
}

/** Describes a busy period as a block before it is judged, or while it lasts. */
export function provisionalBlock(period: BusyPeriod, given: JudgeContext): Block {
  const context = { ...given, excluded: withEdges(period, excludedFrom(period, given), given.sdkStart) };
  const durationMs = period.end - period.start - overlapMs(period, context.excluded);
  return makeBlock(period, countedSamples(period, context), durationMs, context);
}

/** The samples outside of the intervals that are not counted: what ran there is no part of the block. */
function countedSamples(period: BusyPeriod, { excluded, gc }: JudgeContext): WeightedSample[] {
  const isCounted = ({ takenAt }: Sample): boolean =>
    !excluded.some(({ start, end }) => takenAt > start && takenAt < end);
  return weighSamples(withCutCallers(period.samples.filter(isCounted)), period, gc.pauses, excluded);
}

function makeBlock(
  period: BusyPeriod,
  samples: readonly WeightedSample[],
  durationMs: number,
  { thresholdMs, gc, standstills, excluded, sdkStart, threadId, threadName, infoOf, mapStack }: JudgeContext,
): Block {
  const times = blockTimes(period, durationMs, gc, standstills);
  const contexts = contextSpells(samples, period.endings, period, excluded, infoOf);
  const attribution = attribute({
    durationMs,
    thresholdMs,
    times,
    samples,
    looks: period.looks,
    contexts,
    infoOf,
    mapStack,
  });
  return {
    id: period.id,
    start: countedStart(period, excluded),
    end: countedEnd(period, excluded, sdkStart),
    durationMs,
    times,
    attribution: beganUnwatched(period) ? asGuess(attribution) : attribution,
    threadId,
    threadName,
    hang: period.hang,
    endings: period.endings,
  };
}

/** The watchdog asks at the latest after this time, ms, apart from a busy host. */
const MAX_UNWATCHED_MS = 250;

/**
 * Whether the watchdog has asked for the first time when most of the block was over: it was still starting. What ran at
 * the end need not be what blocked.
 */
function beganUnwatched({ start, end, samples: [first] }: BusyPeriod): boolean {
  if (first === undefined) return false;
  const unwatchedMs = first.requestedAt - start;
  return unwatchedMs > MAX_UNWATCHED_MS && unwatchedMs > (end - start) / 2;
}

function asGuess(attribution: Attribution): Attribution {
  return attribution.quality === 'none' ? attribution : { ...attribution, quality: 'post_native' };
}

/**
 * A sleep of a worker that only answered after it had woken, so that no sample shows it. It may be a pool worker's
 * sleep between two tasks, so it is not reported.
 */
function isUnseenSleep({ threadId, attribution }: Block, samples: readonly WeightedSample[]): boolean {
  const isUnseen = samples.length > 0 && samples.every(({ sample }) => sample.frames.length === 0);
  return threadId !== 0 && attribution.cause === 'waiting' && isUnseen;
}

/** Share of a stop in which the thread may run, or wait for a CPU, on its way into it and out of it. */
const STOP_RUNNING_SHARE = 0.1;

/**
 * The thread neither ran nor waited for a CPU, and the watchdog has not asked it: the process was suspended, and the
 * watchdog has not recorded that yet, or the loop was idle. A thread that sleeps in a call is asked, and answers at the
 * latest when it wakes.
 */
function isUnseenStop({ durationMs, times }: Block, samples: readonly WeightedSample[]): boolean {
  const { cpuMs, runQueueMs } = times;
  if (samples.length > 0 || cpuMs === undefined || runQueueMs === undefined) return false;
  return cpuMs + runQueueMs < durationMs * STOP_RUNNING_SHARE;
}

/** What runs for less than this time, ms, before or after an interval that is excluded at an edge belongs to it. */
const EDGE_MS = 5;

/**
 * The excluded intervals, extended to the edges of the period where they nearly reach them: to its start, because of the
 * call that begins them, and to its end, where the SDK is still loaded. So the block's start, end and duration agree.
 */
function withEdges(
  { start, end }: Interval,
  excluded: readonly Interval[],
  sdkStart: Interval | undefined,
): readonly Interval[] {
  const first = excluded.find((other) => other.start <= start + EDGE_MS && other.end > start && other.end < end);
  const isLast = (other: Interval): boolean => other.start > start && other.start < end && other.end > end - EDGE_MS;
  const last = sdkStart && excluded.find((other) => other.start >= sdkStart.start && isLast(other));
  return excluded.map((other) => ({
    start: other === first ? Math.min(other.start, start) : other.start,
    end: other === last ? Math.max(other.end, end) : other.end,
  }));
}

/** Start of the period without the interval that is excluded there. */
function countedStart({ start, end }: Interval, excluded: readonly Interval[]): number {
  return excluded.find((other) => other.start <= start && other.end > start && other.end < end)?.end ?? start;
}

/** End of the period without the load of the SDK that goes on until then. */
function countedEnd({ start, end }: Interval, excluded: readonly Interval[], sdkStart: Interval | undefined): number {
  if (!sdkStart) return end;
  const isLast = (other: Interval): boolean => other.start > start && other.start < end && other.end >= end;
  return excluded.find((other) => other.start >= sdkStart.start && isLast(other))?.start ?? end;
}
