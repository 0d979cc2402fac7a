import { requestTitle } from '../../model/text/request-title.js';
import type { Block, TraceSpan, Victim } from '../../model/types.js';
import { textOf } from '../otlp/convert.js';
import { type Store, traceOf } from './store.js';

const KIND_SERVER = 2;
const KIND_CONSUMER = 5;
/** A longer chain of parents is taken as a cycle. */
const MAX_DEPTH = 200;

/**
 * Name of the request that the block happened in: of the nearest SERVER or CONSUMER span above it, else of the topmost
 * span of the same instance that has arrived. Undefined before the first arrives.
 */
export function requestName(store: Store, block: Block): string | undefined {
  const spans = block.traceId === undefined ? undefined : traceOf(store, block.traceId)?.spans;
  let span = spans?.get(block.parentSpanId ?? '');
  let topmost: TraceSpan | undefined;
  for (let depth = 0; span?.instance === block.instance && depth < MAX_DEPTH; depth += 1) {
    topmost = span;
    if (span.kind === KIND_SERVER || span.kind === KIND_CONSUMER) break;
    span = spans?.get(span.parentSpanId ?? '');
  }
  return topmost && requestTitle(topmost.name, pathOf(topmost));
}

/** Whether the request's name may still arrive: a span in the block's chain of parents is missing. */
export function awaitsRequest(store: Store, block: Block): boolean {
  const spans = block.traceId === undefined ? undefined : traceOf(store, block.traceId)?.spans;
  let parentId = block.parentSpanId;
  for (let depth = 0; parentId !== undefined && depth < MAX_DEPTH; depth += 1) {
    const span = spans?.get(parentId);
    if (!span) return true;
    if (span.kind === KIND_SERVER || span.kind === KIND_CONSUMER) return false;
    parentId = span.parentSpanId;
  }
  return false;
}

/** Name of a span that waited, and what kind of name it is. A server span without a route is named by its path. */
export function victimName(span: TraceSpan): Pick<Victim, 'name' | 'nameKind'> {
  const name = requestTitle(span.name, pathOf(span));
  if (span.kind !== KIND_SERVER) return { name, nameKind: 'name' };
  const hasRoute = span.attributes['http.route'] !== undefined || span.name.includes('/');
  return { name, nameKind: hasRoute ? 'route' : 'path' };
}

function pathOf({ attributes }: TraceSpan): string | undefined {
  return (
    textOf(attributes['http.route']) ??
    textOf(attributes['url.path']) ??
    textOf(attributes['http.target'])?.split('?')[0]
  );
}
