import { ATTR_BLOCKED_WAIT_TIME } from '@loopwatch/instrumentation-event-loop/semconv';

import { isBlockSpan } from '../../model/block-span.js';
import type { AttributeValue, Block, TraceSpan, Victim } from '../../model/types.js';
import { summariseVictims, victimOf } from '../../model/victims.js';
import { blockFromSpan, instanceFromResource, numberOf, traceSpanFrom } from '../otlp/convert.js';
import type { SpanGroup } from '../otlp/decoded.js';
import { upsertBlock } from './blocks.js';
import { requestName, victimName } from './request-name.js';
import { type Change, emptyChange, noteDelay, registerInstance, type Store, type StoredTrace } from './store.js';

/** Estimated size of a span without its texts, in bytes. */
const SPAN_OVERHEAD_BYTES = 600;
const ATTRIBUTE_OVERHEAD_BYTES = 48;

/** Stores the spans of one request. `knownInstance` replaces the instance that their resource describes. */
export function ingestSpans(store: Store, groups: readonly SpanGroup[], nowMs: number, knownInstance?: string): Change {
  const change = emptyChange();
  const changedBlocks = new Set<string>();
  const touchedTraces = new Set<StoredTrace>();
  const delayedBy = new Set<string>();
  for (const group of groups) {
    const instance = store.instances.get(knownInstance ?? '') ?? instanceFromResource(group.resource);
    registerInstance(store, instance, nowMs, change);
    let newestMs = -Infinity;
    for (const decoded of group.spans) {
      store.totals.spans += 1;
      const span = traceSpanFrom(decoded, instance.id, group.scope);
      newestMs = Math.max(newestMs, span.endMs);
      const trace = addToTrace(store, span, nowMs);
      touchedTraces.add(trace);
      if (isBlockSpan(span)) {
        const id = upsertBlock(store, blockFromSpan(span), change);
        trace.blockIds.add(id);
        changedBlocks.add(id);
        markBlocked(store, span.traceId, trace);
      } else if (span.attributes[ATTR_BLOCKED_WAIT_TIME] !== undefined) {
        for (const id of addVictim(store, span)) delayedBy.add(id);
      }
    }
    noteDelay(store, instance.id, newestMs, nowMs, change);
  }
  // Once for each block, not for each victim: a block may have thousands.
  for (const id of delayedBy) if (completeBlock(store, id)) changedBlocks.add(id);
  // The span of a request ends after the block in it: this batch may have brought its name.
  for (const trace of touchedTraces) {
    for (const id of trace.blockIds) if (completeBlock(store, id)) changedBlocks.add(id);
  }
  for (const id of changedBlocks) {
    const block = store.blocks.get(id);
    if (block) change.blocks.push(block);
  }
  return change;
}

function addToTrace(store: Store, span: TraceSpan, nowMs: number): StoredTrace {
  const traces = store.blockedTraces.has(span.traceId) ? store.blockedTraces : store.plainTraces;
  let trace = traces.get(span.traceId);
  if (trace) traces.delete(span.traceId);
  trace ??= { spans: new Map(), blockIds: new Set(), bytes: 0, lastSeenMs: nowMs };
  traces.set(span.traceId, trace);
  const replaced = trace.spans.get(span.spanId);
  const bytes = sizeOf(span) - (replaced ? sizeOf(replaced) : 0);
  trace.spans.set(span.spanId, span);
  trace.bytes += bytes;
  trace.lastSeenMs = nowMs;
  store.spanBytes += bytes;
  return trace;
}

function markBlocked(store: Store, traceId: string, trace: StoredTrace): void {
  store.plainTraces.delete(traceId);
  store.blockedTraces.set(traceId, trace);
}

/** Returns the ids of the blocks that delayed the span. */
function addVictim(store: Store, span: TraceSpan): string[] {
  const waitSeconds = numberOf(span.attributes[ATTR_BLOCKED_WAIT_TIME]);
  const { traceId, spanId, instance, startMs, endMs, links } = span;
  const victim: Victim = {
    traceId,
    spanId,
    ...victimName(span),
    instance,
    startMs,
    endMs,
    blockCount: links.length,
    ...(waitSeconds !== undefined && { waitMs: waitSeconds * 1000 }),
  };
  for (const link of span.links) {
    const victims = store.victims.get(link.spanId);
    if (!victims) store.victims.set(link.spanId, [victim]);
    else if (!victims.some((known) => known.spanId === spanId)) victims.push(victim);
  }
  return span.links.map((link) => link.spanId);
}

/** Sets the block's request and victims from other spans; returns whether they changed. */
function completeBlock(store: Store, id: string): boolean {
  const block = store.blocks.get(id);
  if (!block) return false;
  const request = requestName(store, block) ?? block.request;
  const known = victimsOf(store, block);
  const victimCount = Math.max(block.victimCount ?? 0, known.length);
  const { victimSummary: before, ...others } = block;
  // Of the victims that have not arrived, or were not sampled, nothing is known but their number.
  const victimSummary = known.length > 0 && known.length === victimCount ? summariseVictims(known) : undefined;
  const isSame =
    request === block.request &&
    victimCount === (block.victimCount ?? 0) &&
    JSON.stringify(victimSummary) === JSON.stringify(before);
  if (isSame) return false;
  store.blocks.set(id, {
    ...others,
    ...(request !== undefined && { request }),
    victimCount,
    ...(victimSummary && { victimSummary }),
  });
  return true;
}

/** The spans that the block delayed, each with its wait for this block. */
export function victimsOf(store: Store, block: Block): Victim[] {
  return (store.victims.get(block.spanId ?? '') ?? []).map((victim) => victimOf(block, victim));
}

export function sizeOf(span: TraceSpan): number {
  let bytes = SPAN_OVERHEAD_BYTES + span.name.length + span.links.length * 100;
  for (const [name, value] of Object.entries(span.attributes)) bytes += name.length + sizeOfValue(value);
  return bytes;
}

function sizeOfValue(value: AttributeValue): number {
  if (typeof value === 'string') return ATTRIBUTE_OVERHEAD_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return ATTRIBUTE_OVERHEAD_BYTES;
  return Object.entries(value).reduce(
    (bytes, [name, item]: [string, AttributeValue]) => bytes + name.length + sizeOfValue(item),
    ATTRIBUTE_OVERHEAD_BYTES,
  );
}
