import {
  createContextKey,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import type { ContextShare } from '../contract/model.js';
import { safely } from './safely.js';

const MAX_LINKS = 32;
/** The SDK's key for its own work, in which it creates no spans. A block there is reported, too. */
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

export interface Parentage {
  /** Context in which the block's span starts: that of the blocking code, or the root context. */
  readonly context: Context;
  readonly isRoot: boolean;
  readonly links: Link[];
}

/**
 * The parent and the links of a block's span. The parent is the span under which the culprit ran for longest; the other
 * spans of the block become links. Under an unsampled parent the block's span would not be sampled either: it becomes a
 * root span with a link to that parent.
 */
export function parentageOf(shares: readonly ContextShare[]): Parentage {
  const spans = groupBySpan(shares);
  const [culpritSpan] = spans.filter(({ isCulprits }) => isCulprits);
  const blockingContext = (culpritSpan?.context as Context | undefined) ?? ROOT_CONTEXT;
  const context = safely(() => blockingContext.deleteValue(SUPPRESS_TRACING), ROOT_CONTEXT);
  const isRoot =
    culpritSpan?.spanContext !== undefined && (culpritSpan.spanContext.traceFlags & TraceFlags.SAMPLED) === 0;
  const links = spans
    .filter((span) => span !== culpritSpan || isRoot)
    .flatMap(({ spanContext }) => (spanContext ? [{ context: spanContext }] : []));
  return { context, isRoot, links: links.slice(0, MAX_LINKS) };
}

/** The context in which most of the culprit's time was spent; the root context when none is known. */
export function culpritContext(shares: readonly ContextShare[]): Context {
  const [culpritSpan] = groupBySpan(shares).filter(({ isCulprits }) => isCulprits);
  return (culpritSpan?.context as Context | undefined) ?? ROOT_CONTEXT;
}

interface SpanShare {
  readonly context: unknown;
  readonly spanContext: SpanContext | undefined;
  readonly isCulprits: boolean;
  readonly weightMs: number;
}

/** Merges the shares of contexts that belong to the same span. Heaviest first. */
function groupBySpan(shares: readonly ContextShare[]): SpanShare[] {
  const spans = new Map<string, SpanShare>();
  for (const { context, weightMs, isCulprits } of shares) {
    const read = context === undefined ? undefined : safely(() => readContext(context as Context), undefined);
    const spanContext = read?.spanContext;
    const key = spanContext ? `${spanContext.traceId}:${spanContext.spanId}` : '';
    const existing = spans.get(key);
    spans.set(key, {
      context: existing?.context ?? read?.context,
      spanContext,
      isCulprits: isCulprits || existing?.isCulprits === true,
      weightMs: weightMs + (existing?.weightMs ?? 0),
    });
  }
  return [...spans.values()].sort((a, b) => b.weightMs - a.weightMs);
}

/** Reads a context; throws when a tracer could not start a span in it. */
function readContext(context: Context): { context: Context; spanContext: SpanContext | undefined } {
  const spanContext = trace.getSpanContext(context);
  return { context, spanContext: spanContext && trace.isSpanContextValid(spanContext) ? spanContext : undefined };
}
