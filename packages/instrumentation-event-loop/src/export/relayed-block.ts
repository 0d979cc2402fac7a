import { ROOT_CONTEXT, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { fromShared, toShared } from '../contract/clock.js';
import type { Block } from '../contract/model.js';
import { safely } from './safely.js';

/**
 * A block as a message to another thread: its times are on the shared clock, and its contexts are reduced to their span
 * contexts, because a context has functions and cannot be sent.
 */
export function toRelayed(block: Block): object {
  const { attribution } = block;
  const contexts = attribution.contexts.map((interval) => ({
    ...interval,
    start: toShared(interval.start),
    end: toShared(interval.end),
    context: safely(() => plainSpanContext(interval.context), undefined),
  }));
  return {
    ...block,
    start: toShared(block.start),
    end: toShared(block.end),
    // The spans that ended in the other thread wait in that thread.
    endings: [],
    attribution: {
      ...attribution,
      contexts,
      mainContext: safely(() => plainSpanContext(attribution.mainContext), undefined),
    },
  };
}

/** The block that `toRelayed` has made in another thread, on the time line of this thread. */
export function fromRelayed(message: unknown): Block {
  const block = message as Block;
  const contexts = block.attribution.contexts.map((interval) => ({
    ...interval,
    start: fromShared(interval.start),
    end: fromShared(interval.end),
    context: contextOf(interval.context),
  }));
  return {
    ...block,
    start: fromShared(block.start),
    end: fromShared(block.end),
    attribution: { ...block.attribution, contexts, mainContext: contextOf(block.attribution.mainContext) },
  };
}

function contextOf(spanContext: unknown): Context | undefined {
  return spanContext === undefined ? undefined : trace.setSpanContext(ROOT_CONTEXT, spanContext as SpanContext);
}

function plainSpanContext(context: unknown): SpanContext | undefined {
  const spanContext = context === undefined ? undefined : trace.getSpanContext(context as Context);
  if (!spanContext) return undefined;
  const { traceId, spanId, traceFlags } = spanContext;
  return { traceId, spanId, traceFlags };
}
