import type { ContextReader } from '../contract/context-reader.js';
import { kindOf } from '../contract/frames.js';
import type { Interval } from '../contract/interval.js';
import type { ContextInterval, Frame, SpanEnding } from '../contract/model.js';
import { without } from './outside.js';
import { heaviest, type Segment } from './segments.js';
import { hasApplication } from './visible.js';

export type InfoOf = ContextReader['infoOf'];

/** A moment at which it is known which context was active, or that it is not known. */
interface Evidence {
  /** The context was active from here to `at`, unless other evidence shows another one. */
  readonly from: number;
  readonly at: number;
  readonly isKnown: boolean;
  /** Node's own code outside of any span: alone, it is what Node does between two callbacks of a request. */
  readonly isInternal: boolean;
  /** A span has ended here. */
  readonly isEnding: boolean;
  readonly context: unknown;
  readonly asyncId: number;
}

/**
 * Divides a block among the contexts that its samples and span endings show. A context extends from its evidence to the
 * middle between this and the next evidence. The starts and ends of spans are exact, so they win over the middle: no
 * request ran before its span started, and it hands over when its span ends.
 */
export function contextIntervals(
  segments: readonly Segment[],
  endings: readonly SpanEnding[],
  block: Interval,
  excluded: readonly Interval[],
  infoOf: InfoOf,
): ContextInterval[] {
  // Endings alone do not show who ran before them.
  if (segments.length === 0) return [];
  const evidence = evidenceOf(segments, endings, infoOf).filter((current, i, all) => {
    const isAlone = all[i - 1]?.isInternal !== true && all[i + 1]?.isInternal !== true;
    return !current.isInternal || !isAlone || all.length === 1;
  });
  const intervals: ContextInterval[] = [];
  let before = handoverOf(undefined, evidence[0], block, infoOf);
  evidence.forEach((current, i) => {
    const after = handoverOf(current, evidence[i + 1], block, infoOf);
    const { context, asyncId } = current;
    if (current.isKnown) {
      add(intervals, {
        ...{ start: before.start, end: after.end, context, asyncId, lastSeenAt: current.at },
        ...(i === 0 && { seenAt: current.from }),
        ...(before.seen && { seenFrom: before.seen.from }),
        ...(after.seen && { seenUntil: after.seen.until }),
      });
    }
    before = after;
  });
  return excluded.reduce(without, intervals);
}

function evidenceOf(segments: readonly Segment[], endings: readonly SpanEnding[], infoOf: InfoOf): Evidence[] {
  const ofSamples = segments.map((segment) => {
    const { requestedAt, takenAt, asyncId, frames, context: active } = segment.sample;
    const context = contextOf(segment, infoOf);
    const isKnown = showsContext(segment);
    const isOutside = infoOf(context).span === '' && context === active;
    const isInternal = isKnown && isOutside && !hasApplication(segment.kinds);
    const isBetweenTicks = isInternal && frames.every(isOfTicks);
    return { from: requestedAt, at: takenAt, isKnown, isInternal, isBetweenTicks, isEnding: false, context, asyncId };
  });
  // Between two ticks no context is active, which is most of what answers show of a flood of short ones.
  const shown = ofSamples.filter(({ isBetweenTicks }) => !isBetweenTicks);
  const ofEndings = endings.map(({ at, context, asyncId }) => {
    return { from: at, at, isKnown: true, isInternal: false, isEnding: true, context, asyncId };
  });
  return [...(shown.length > 0 ? shown : ofSamples), ...ofEndings].sort((a, b) => a.at - b.at);
}

/** Whether the frame is of code of Node that runs ticks and microtasks, or of V8. */
function isOfTicks(frame: Frame): boolean {
  return frame.fileName.startsWith('node:internal/process/') || kindOf(frame) === 'builtin';
}

/**
 * Whether the context of a sample is that of the code that ran. A sample that came late, after a native call, may
 * already be in another callback. Then no code of the application or of its dependencies is below the function that V8
 * was about to enter, and no function of Node has made that call, as `response.json()` does.
 */
function showsContext(segment: Segment): boolean {
  return !segment.isLate || hasApplication(segment.kinds) || segment.place === 'node';
}

/**
 * The context of a sample; undefined for work of the SDK, which belongs to no request. The timer of a
 * `BatchSpanProcessor` is set as a span ends, and keeps that span's context: each export would be in the request that
 * has ended last. What an exporter does within `span.end()` is in that request.
 */
export function contextOf(segment: Segment, infoOf: InfoOf): unknown {
  const { context } = segment.sample;
  return infoOf(context).isOfSdk && !hasApplication(segment.kinds) ? undefined : context;
}

interface Handover {
  readonly end: number;
  readonly start: number;
  /** Until when the one and from when the other was seen, where nothing shows when the one handed over. */
  readonly seen?: { readonly until: number; readonly from: number };
}

/** When the context of one evidence ends and that of the next starts. The time between is unknown. */
function handoverOf(
  current: Evidence | undefined,
  next: Evidence | undefined,
  block: Interval,
  infoOf: InfoOf,
): Handover {
  if (next === undefined) return { end: block.end, start: block.end };
  const from = current?.isKnown === true ? infoOf(current.context) : undefined;
  const to = next.isKnown ? infoOf(next.context) : undefined;
  const since = current?.at ?? block.start;
  const between = (time = -Infinity): number | undefined => (time >= since && time <= next.at ? time : undefined);
  // The clock is read once for the span and once for its ending, a moment later.
  const endedAt = current?.isEnding === true ? current.at : between(from?.endedAt);
  const startedAt = between(to?.startedAt);
  if (current === undefined) return { end: since, start: startedAt ?? since };
  const start = startedAt ?? endedAt;
  const isOneRequest = from !== undefined && to !== undefined && from.request === to.request;
  if (start !== undefined && !isOneRequest) return { end: Math.min(endedAt ?? start, start), start };
  const seen = { until: since, from: Math.max(since, next.from) };
  const middle = (seen.until + seen.from) / 2;
  return { end: middle, start: middle, seen };
}

/** Appends the interval, or extends the last one. */
function add(intervals: ContextInterval[], interval: ContextInterval): void {
  if (interval.end <= interval.start) return;
  const last = intervals.at(-1);
  if (last?.end === interval.start && last.context === interval.context && last.asyncId === interval.asyncId) {
    const { seenUntil: _seenUntil, ...started } = last;
    const { end, seenUntil, lastSeenAt } = interval;
    const seen = { ...(seenUntil !== undefined && { seenUntil }), ...(lastSeenAt !== undefined && { lastSeenAt }) };
    intervals[intervals.length - 1] = { ...started, end, ...seen };
  } else intervals.push(interval);
}

/**
 * The context in which most of the block was spent: of the request that took longest, the span that took longest, and of
 * that span the context that took longest. Time outside of any span counts as one request. Undefined without intervals, and
 * where one call of an unknown context took longer than that request, `unknownMs`: its callback had returned when V8
 * answered, in the next one.
 */
export function mainContext(intervals: readonly ContextInterval[], infoOf: InfoOf, unknownMs = 0): unknown {
  const msOf = ({ start, end }: ContextInterval): number => end - start;
  const ofRequest = heaviest(intervals, ({ context }) => infoOf(context).request, msOf);
  if (ofRequest.reduce((sumMs, interval) => sumMs + msOf(interval), 0) < unknownMs) return undefined;
  const ofSpan = heaviest(ofRequest, ({ context }) => infoOf(context).span, msOf);
  return heaviest(ofSpan, ({ context }) => context, msOf)[0]?.context;
}
