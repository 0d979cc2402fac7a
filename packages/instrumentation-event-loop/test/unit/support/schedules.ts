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

  const askedAt: number[] = [];
  for (let at = shape.firstSampleMs; at < lengthMs; at += Math.max(shape.intervalMs, at * 0.05)) askedAt.push(at);
  return { requests, stretches, lengthMs, askedAt };
}

/** While the block is pending, long after it, or never. */
function endAfter(lengthMs: number, choice: number): number {
  return [lengthMs + 5, lengthMs + 5, lengthMs + 500, Infinity][choice]!;
}

function boundaryAfter(stretches: readonly Stretch[], time: number): number {
  return stretches.find(({ end }) => end > time)?.end ?? time;
}
