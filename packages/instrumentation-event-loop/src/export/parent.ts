import {
  createContextKey,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import type { Attribution, ContextInterval } from '../contract/model.js';
import { safely } from './safely.js';
import { isValidSpanContext } from './valid-span-context.js';

const MAX_LINKS = 32;
/** The SDK's key for its own work, in which it creates no spans. A block there is reported, too. */
export const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

export interface Parentage {
  /** Context in which the block's span starts: that of the blocking code, or the root context. */
  readonly context: Context;
  readonly isRoot: boolean;
  /** The span in that context. */
  readonly parent: SpanContext | undefined;
  readonly links: Link[];
}

type Contexts = Pick<Attribution, 'contexts' | 'mainContext'>;

/**
 * The parent and the links of a block's span. The parent is the span in which most of the block was spent; the other
 * spans of the block become links. Under an unsampled parent the block's span would not be sampled either: it becomes a
 * root span with a link to that parent.
 */
export function parentageOf({ contexts, mainContext }: Contexts): Parentage {
  const parent = spanContextOf(mainContext);
  const parentKey = parent ? keyOf(parent) : '';
  const context = safely(() => blockingContext({ mainContext }).deleteValue(SUPPRESS_TRACING), ROOT_CONTEXT);
  const isRoot = parent !== undefined && !isSampled(parent);
  const links = linksOf(contexts).filter(({ context: of }) => keyOf(of) !== parentKey || isRoot);
  return { context, isRoot, parent, links: links.slice(0, MAX_LINKS) };
}

/** Links to all spans that were active in the block, the longest first. */
export function linksOf(contexts: readonly ContextInterval[]): Link[] {
  return spansOf(contexts)
    .slice(0, MAX_LINKS + 1)
    .map(({ spanContext }) => ({ context: spanContext }));
}

/** The context in which most of the block was spent; the root context when none is known. */
export function blockingContext({ mainContext }: Pick<Attribution, 'mainContext'>): Context {
  const readable = safely(() => readContext(mainContext as Context).context, undefined);
  return readable ?? ROOT_CONTEXT;
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

interface SpanTime {
  readonly spanContext: SpanContext;
  ms: number;
}

/** The spans that were active in the block. The longest first. */
function spansOf(intervals: readonly ContextInterval[]): SpanTime[] {
  const spans = new Map<string, SpanTime>();
  for (const { context, start, end } of intervals) {
    const spanContext = spanContextOf(context);
    if (!spanContext) continue;
    const key = keyOf(spanContext);
    const span = spans.get(key) ?? { spanContext, ms: 0 };
    spans.set(key, span);
    span.ms += end - start;
  }
  return [...spans.values()].sort((a, b) => b.ms - a.ms);
}

function keyOf({ traceId, spanId }: SpanContext): string {
  return `${traceId}:${spanId}`;
}

function spanContextOf(context: unknown): SpanContext | undefined {
  return context === undefined ? undefined : safely(() => readContext(context as Context).spanContext, undefined);
}

/** Reads a context; throws when a tracer could not start a span in it. */
function readContext(context: Context): { context: Context; spanContext: SpanContext | undefined } {
  const spanContext = trace.getSpanContext(context);
  return { context, spanContext: spanContext && isValidSpanContext(spanContext) ? spanContext : undefined };
}
