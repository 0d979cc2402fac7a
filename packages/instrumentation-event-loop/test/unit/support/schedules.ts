import { SpanKind } from '@opentelemetry/api';
import { seededRandom } from './random.js';

/** A request of a schedule. Times are ms since the start of the block. */
export interface ScheduledRequest {
  readonly kind: SpanKind;
  /** The request in whose context it is started; undefined for a local root. */
  readonly outer: number | undefined;
  /** Not after its first stretch. */
  readonly startAt: number;
  /** Not before its last stretch. Later than the block's length: it ends after the block; Infinity: it never ends. */
  readonly endAt: number;
  /** How long before `endAt` its end is dated. */
  readonly endedAgoMs: number;
}

/** A time in which one request runs. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** Undefined: no span is active. */
  readonly request: number | undefined;
  /** It runs in a span within the request. */
  readonly isInner: boolean;
  /** It makes a native call that V8 cannot interrupt: its only sample comes at its end. */
  readonly isNative: boolean;
}

export interface Schedule {
  readonly requests: readonly ScheduledRequest[];
  readonly stretches: readonly Stretch[];
  readonly lengthMs: number;
  /** One callback starts all spans, runs each, and ends it in its own context. */
  readonly isBatch: boolean;
  /** When samples were asked for. */
  readonly askedAt: readonly number[];
}

export interface Shape {
  readonly requests: number;
  readonly stretches: number;
  readonly longestMs: number;
  readonly firstSampleMs: number;
  readonly intervalMs: number;
}

/** Makes a schedule of one loop iteration. The same seed makes the same schedule. */
export function makeSchedule(seed: number, shape: Shape): Schedule {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const below = (n: number): number => Math.floor(random() * n);

  const stretches: Stretch[] = [];
  for (let i = 0; i < shape.stretches; i++) {
    const start = stretches.at(-1)?.end ?? 0;
    stretches.push({
      start,
      end: start + 1 + below(shape.longestMs),
      request: chance(0.1) ? undefined : below(shape.requests),
      isInner: chance(0.3),
      isNative: chance(0.2),
    });
  }
  const lengthMs = Math.max(120, stretches.at(-1)!.end);
  stretches.push({ ...stretches.pop()!, end: lengthMs });

  const requests: ScheduledRequest[] = [];
  for (let i = 0; i < shape.requests; i++) {
    const own = stretches.filter(({ request }) => request === i);
    const first = own[0]?.start ?? below(lengthMs);
    const last = own.at(-1)?.end ?? first;
    const startAt = chance(0.5) ? first : chance(0.5) ? -1 - below(500) : below(first);
    const endAt = chance(0.4) ? last : chance(0.3) ? boundaryAfter(stretches, last) : endAfter(lengthMs, below(4));
    const around = requests.findLastIndex((of) => of.startAt <= startAt && of.endAt >= endAt);
    const isNested = around >= 0 && chance(0.3);
    requests.push({
      kind: [SpanKind.SERVER, SpanKind.CONSUMER, ...(isNested ? [] : [SpanKind.INTERNAL])][below(isNested ? 2 : 3)]!,
      outer: isNested ? around : undefined,
      startAt,
      endAt,
      endedAgoMs: endAt > lengthMs && endAt < Infinity && chance(0.2) ? below(lengthMs + 200) : 0,
    });
  }

  const askedAt = askTimes(lengthMs, shape.firstSampleMs, shape.intervalMs);
  return { requests, stretches, lengthMs, isBatch: false, askedAt };
}

/**
 * Makes a schedule of one callback that handles a batch of messages, one after the other, as consumers of queues do. It
 * starts each span when the batch arrives or right before its message, ends it after its message or after the batch,
 * and does both in its own context.
 */
export function makeBatch(seed: number, { requests: count, longestMs, firstSampleMs, intervalMs }: Shape): Schedule {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const stretches: Stretch[] = [];
  const own = (end: number): void => {
    const start = stretches.at(-1)?.end ?? 0;
    if (end > start) stretches.push({ start, end, request: undefined, isInner: false, isNative: false });
  };
  const startsEarly = chance(0.3);
  const requests = Array.from({ length: count }, (_, request): Omit<ScheduledRequest, 'endAt'> => {
    if (chance(0.3)) own((stretches.at(-1)?.end ?? 0) + 1 + Math.floor(random() * 10));
    const start = stretches.at(-1)?.end ?? 0;
    const end = start + 1 + Math.floor(random() * longestMs);
    stretches.push({ start, end, request, isInner: chance(0.3), isNative: false });
    return { kind: SpanKind.CONSUMER, outer: undefined, startAt: startsEarly ? 0 : start, endedAgoMs: 0 };
  });
  own(Math.max(120, stretches.at(-1)!.end));
  const lengthMs = stretches.at(-1)!.end;
  const endsLate = chance(0.3);
  return {
    requests: requests.map((each, i) => ({
      ...each,
      endAt: endsLate ? lengthMs : stretches.find(({ request }) => request === i)!.end,
    })),
    stretches,
    lengthMs,
    isBatch: true,
    askedAt: askTimes(lengthMs, firstSampleMs, intervalMs),
  };
}

function askTimes(lengthMs: number, firstSampleMs: number, intervalMs: number): number[] {
  const askedAt: number[] = [];
  for (let at = firstSampleMs; at < lengthMs; at += Math.max(intervalMs, at * 0.05)) askedAt.push(at);
  return askedAt;
}

/** While the block is pending, long after it, or never. */
function endAfter(lengthMs: number, choice: number): number {
  return [lengthMs + 5, lengthMs + 5, lengthMs + 500, Infinity][choice]!;
}

function boundaryAfter(stretches: readonly Stretch[], time: number): number {
  return stretches.find(({ end }) => end > time)?.end ?? time;
}
