import { ROOT_CONTEXT, SpanKind, trace, type Context, type Span, type SpanContext } from '@opentelemetry/api';
import { BlockWaits } from '../../../src/export/block-waits.js';
import { OpenSpans } from '../../../src/export/open-spans.js';
import { blockingSpansOf, type Delay } from '../../../src/export/tracked-span.js';
import { ATTR_BLOCKED_WAIT_TIME } from '../../../src/semconv.js';
import { Recorder, spanContext } from './tracing.js';

export const BLOCK_SPAN = spanContext(99);

/** An SDK and the list of its open spans. */
export class OpenSpansFixture {
  readonly recorder = new Recorder();
  readonly open = new OpenSpans();

  /** Starts a span and adds it to the open spans, as the span processor does. */
  readonly start = (
    name: string,
    kind = SpanKind.INTERNAL,
    parent: Context = ROOT_CONTEXT,
  ): { span: Span; context: Context } => {
    const span = this.recorder.tracer.startSpan(name, { kind }, parent);
    this.open.add(span, parent);
    return { span, context: trace.setSpan(parent, span) };
  };

  readonly waitOf = ({ span }: { span: Span }): unknown => {
    span.end();
    const { spanId } = span.spanContext();
    return this.recorder.spans().find((ended) => ended.spanContext().spanId === spanId)?.attributes[
      ATTR_BLOCKED_WAIT_TIME
    ];
  };
}

/** A callback in which no span of a test is started. */
export const OTHER_CALLBACK = -1;

export interface DelayOptions {
  readonly start: number;
  readonly end: number;
  /** The context that ran for the whole block. */
  readonly running: Context;
  readonly asyncId: number;
  readonly spanContext: SpanContext | undefined;
}

/** A block of 200 ms from now on, for which all open spans wait, unless they ran in it. */
export function delay(overrides: Partial<DelayOptions> = {}): Delay {
  const start = performance.now();
  const options = { start, end: start + 200, running: ROOT_CONTEXT, asyncId: OTHER_CALLBACK, spanContext: BLOCK_SPAN };
  const { running: context, spanContext: linked, ...interval } = { ...options, ...overrides };
  const waits = new BlockWaits([{ ...interval, context }], interval.start, () => []);
  return { blockId: {}, waits, blockingSpans: blockingSpansOf(context), spanContext: linked };
}
