import { trace, type Context } from '@opentelemetry/api';
import type { Interval } from '../contract/interval.js';
import type { ContextInterval, SpanEnding } from '../contract/model.js';
import { safely } from './safely.js';
import { trackedSpanOf, type SdkSpan, type TrackedSpan, type Waits } from './tracked-span.js';
import { isValidSpanContext } from './valid-span-context.js';

/** The waits in a block that began at `start`, of which `contexts` are known. */
export function waitsOf(
  start: number,
  contexts: readonly ContextInterval[],
  endings: readonly SpanEnding[],
  openSpans: Iterable<Iterable<TrackedSpan>>,
): BlockWaits {
  return new BlockWaits(contexts, start, function* () {
    for (const { trackedSpan } of endings) yield trackedSpan as TrackedSpan;
    for (const spans of openSpans) yield* spans;
  });
}

/**
 * How long each span waited for others in one block. A span waits while it is open and another context runs. It does
 * not wait for its own code, nor for that of a span within it. Time in which the running context is unknown is no wait, nor
 * is time in which either its own code or that of another one may have run.
 */
export class BlockWaits implements Waits {
  readonly #start: number;
  /** With the last evidence of the block. */
  readonly #last: ContextInterval | undefined;
  readonly #all: IntervalTimes;
  readonly #ownOf = new Map<TrackedSpan, IntervalTimes>();
  /** Intervals in spans that are not tracked, by trace: which spans are around them is unknown. */
  readonly #untrackedOf = new Map<string, IntervalTimes>();
  /** Intervals by the callback that ran. */
  readonly #inCallback = new Map<
    number,
    { readonly innermost: TrackedSpan | undefined; readonly interval: ContextInterval }[]
  >();

  /** `tracked` yields the spans among which the parents of incoming requests are looked for. */
  constructor(intervals: readonly ContextInterval[], start: number, tracked: () => Iterable<TrackedSpan>) {
    this.#start = start;
    this.#last = intervals.at(-1);
    this.#all = new IntervalTimes(intervals);
    const running = intervals.map((interval) => ({ interval, ...runningSpan(interval.context) }));
    resolveRemoteParents(
      running.flatMap(({ innermost }) => (innermost ? [innermost] : [])),
      tracked,
    );
    const ownOf = new Map<TrackedSpan, Interval[]>();
    const untrackedOf = new Map<string, Interval[]>();
    running.forEach(({ interval, innermost, traceId }, i) => {
      const possible = possibleTime(interval, intervals[i - 1], intervals[i + 1]);
      for (let owner = innermost; owner; owner = owner.outer) appendTime(ownOf, owner, possible);
      if (innermost === undefined && traceId !== undefined) appendTime(untrackedOf, traceId, possible);
      else append(this.#inCallback, interval.asyncId, { innermost, interval });
    });
    for (const [owner, own] of ownOf) this.#ownOf.set(owner, new IntervalTimes(own));
    for (const [traceId, own] of untrackedOf) this.#untrackedOf.set(traceId, new IntervalTimes(own));
  }

  /** How long the span waited until its end or `until`, ms. */
  waitMs(trackedSpan: TrackedSpan, until = trackedSpan.endedAt ?? Infinity): number {
    const from = trackedSpan.startedAt;
    if (until <= from || this.#startedUnseen(trackedSpan)) return 0;
    const allMs = this.#all.msWithin(from, until);
    if (allMs === 0) return 0;
    const ownMs = this.#ownOf.get(trackedSpan)?.msWithin(from, until) ?? 0;
    return allMs - ownMs - this.#untrackedMs(trackedSpan, from, until) - this.#unclearMs(trackedSpan, from, until);
  }

  /**
   * Whether another callback has started the span than the last evidence has shown. Until the end of the block, its own code
   * may have run: nothing shows who did.
   */
  #startedUnseen({ startedAt, startedIn }: TrackedSpan): boolean {
    const { lastSeenAt = Infinity, asyncId } = this.#last ?? {};
    return startedAt >= this.#start && startedAt > lastSeenAt && startedIn !== asyncId;
  }

  #untrackedMs({ span }: TrackedSpan, from: number, until: number): number {
    if (this.#untrackedOf.size === 0) return 0;
    return this.#untrackedOf.get(span.spanContext().traceId)?.msWithin(from, until) ?? 0;
  }

  /**
   * Work in the callback that started the span. In the context in which the span was started, it may be work for the
   * span: code may start a span without making it active. Before the block's first evidence, the callback may have worked
   * for the span as well as for the one that is seen later: it may have started the spans of a whole batch.
   */
  #unclearMs(trackedSpan: TrackedSpan, from: number, until: number): number {
    const { startedAt, startedIn, outer } = trackedSpan;
    if (startedAt < this.#start) return 0;
    const intervals = this.#inCallback.get(startedIn) ?? [];
    return intervals.reduce((sum, { innermost, interval }) => {
      if (innermost === outer) return sum + msOf(interval, from, until);
      if (interval.seenAt === undefined || (innermost && isAround(innermost, trackedSpan))) return sum;
      return sum + msOf(interval, from, Math.min(until, interval.seenAt));
    }, 0);
  }
}

/** All of the time in which the interval's context may have run: its neighbours' ends are guesses, too. */
function possibleTime(
  interval: ContextInterval,
  before: ContextInterval | undefined,
  after: ContextInterval | undefined,
): Interval {
  const { start, end } = interval;
  return {
    start: before?.end === start ? Math.max(before.start, Math.min(before.seenUntil ?? start, start)) : start,
    end: after?.start === end ? Math.min(after.end, Math.max(after.seenFrom ?? end, end)) : end,
  };
}

/** Adds up parts of intervals in a time that does not grow with their number. */
class IntervalTimes {
  readonly #intervals: readonly Interval[];
  /** Time before each interval, ms. */
  readonly #before: readonly number[];
  readonly #totalMs: number;

  /** The intervals are in order of time and do not overlap. */
  constructor(intervals: readonly Interval[]) {
    let totalMs = 0;
    this.#intervals = intervals;
    this.#before = intervals.map(({ start, end }) => {
      totalMs += end - start;
      return totalMs - (end - start);
    });
    this.#totalMs = totalMs;
  }

  msWithin(from: number, until: number): number {
    return this.#msUntil(until) - this.#msUntil(from);
  }

  #msUntil(time: number): number {
    const last = this.#intervals.at(-1);
    if (last === undefined || time >= last.end) return this.#totalMs;
    let low = 0;
    let high = this.#intervals.length;
    // The first interval that ends after `time`.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#intervals[middle]!.end <= time) low = middle + 1;
      else high = middle;
    }
    return this.#before[low]! + Math.max(0, time - this.#intervals[low]!.start);
  }
}

function msOf({ start, end }: Interval, from: number, until: number): number {
  return Math.max(0, Math.min(end, until) - Math.max(start, from));
}

/** The times of neighbours may overlap. */
function appendTime<K>(map: Map<K, Interval[]>, key: K, { start, end }: Interval): void {
  const last = map.get(key)?.at(-1);
  append(map, key, { start: Math.max(start, last?.end ?? start), end });
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** The tracked span in which a context runs, or the trace where its span is not tracked. */
function runningSpan(context: unknown): { innermost: TrackedSpan | undefined; traceId: string | undefined } {
  return safely(
    () => {
      const span: SdkSpan | undefined = trace.getSpan(context as Context);
      const spanContext = span?.spanContext();
      const isValid = spanContext !== undefined && isValidSpanContext(spanContext);
      return { innermost: trackedSpanOf(span), traceId: isValid ? spanContext.traceId : undefined };
    },
    { innermost: undefined, traceId: undefined },
  );
}

/** Finds the spans of this process that have sent a running request to this process, which are around it. */
function resolveRemoteParents(running: readonly TrackedSpan[], tracked: () => Iterable<TrackedSpan>): void {
  const waiting = new Map<string, TrackedSpan[]>();
  for (const innermost of new Set(running)) {
    for (let span: TrackedSpan | undefined = innermost; span; span = span.outer) {
      if (span.remoteParentId === undefined) continue;
      append(waiting, span.remoteParentId, span);
      span.remoteParentId = undefined;
    }
  }
  if (waiting.size === 0) return;
  for (const candidate of tracked()) {
    for (const id of [candidate.span.spanContext().spanId, ...(candidate.outgoing ?? [])]) {
      for (const inner of waiting.get(id) ?? []) if (!isAround(inner, candidate)) inner.outer = candidate;
    }
  }
}

/** Whether `outer` is the span or around it: ids of other processes may be wrong, and a ring would not end. */
function isAround(outer: TrackedSpan, of: TrackedSpan): boolean {
  for (let span: TrackedSpan | undefined = of; span; span = span.outer) if (span === outer) return true;
  return false;
}
