import type { Attributes, Context, Link, SpanKind } from '@opentelemetry/api';
import {
  SPAN_EVENT_LOOP_BLOCKED,
  SPAN_EVENT_LOOP_HANG,
  SPAN_EVENT_LOOP_SATURATED,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from './semconv.js';

/** The SDK's `SamplingResult`: the same in SDK 2.x and 3.x. */
export interface SamplingResultLike {
  decision: number;
  attributes?: Readonly<Attributes>;
}

/** The SDK's `Sampler`: the same in SDK 2.x and 3.x. Defined here, so that this package loads without an SDK. */
export interface SamplerLike {
  shouldSample(
    context: Context,
    traceId: string,
    spanName: string,
    spanKind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResultLike;
  toString(): string;
}

const KEPT_SPANS = [
  SPAN_EVENT_LOOP_BLOCKED,
  SPAN_EVENT_LOOP_HANG,
  SPAN_EVENT_LOOP_SATURATED,
  SPAN_LIBUV_THREAD_POOL_STARVED,
];

/** `SamplingDecision.RECORD_AND_SAMPLED` of the SDK. */
const RECORD_AND_SAMPLED = 2;

/**
 * Wraps a sampler and always keeps `event-loop-blocked`, `event-loop-hang`, `event-loop-saturated` and
 * `thread-pool-starved` spans, most of which a ratio sampler would drop.
 *
 * ```ts
 * new NodeSDK({ sampler: new EventLoopSampler(new TraceIdRatioBasedSampler(0.01)) });
 * ```
 */
export class EventLoopSampler implements SamplerLike {
  readonly #wrapped: SamplerLike;

  /** @throws TypeError when `wrapped` is not a sampler. */
  constructor(wrapped: SamplerLike) {
    if (typeof (wrapped as SamplerLike | undefined)?.shouldSample !== 'function') {
      throw new TypeError(`Expected a sampler to wrap, got ${typeof wrapped}. Pass for example new AlwaysOnSampler().`);
    }
    this.#wrapped = wrapped;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResultLike {
    if (KEPT_SPANS.includes(name)) return { decision: RECORD_AND_SAMPLED };
    return this.#wrapped.shouldSample(context, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `EventLoopSampler{${this.#wrapped.toString()}}`;
  }
}
