import { ROOT_CONTEXT, SpanKind, trace, type Context, type Span } from '@opentelemetry/api';
import { OpenSpans } from '../../../src/export/open-spans.js';
import type { Delay } from '../../../src/export/tracked-span.js';
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

/** A block of 200 ms from now on, for which all open spans wait. */
export function delay(overrides: Partial<Delay> = {}): Delay {
  return {
    start: performance.now(),
    end: performance.now() + 200,
    blockingSpans: new Set(),
    spanContext: BLOCK_SPAN,
    ...overrides,
  };
}
