import {
  ATTR_BLOCKED_WAIT_TIME,
  SPAN_EVENT_LOOP_SATURATED,
  SPAN_LIBUV_THREAD_POOL_STARVED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { acceptPoolWait } from '../../model/accept/pool-wait.js';
import { acceptSaturation } from '../../model/accept/saturation.js';
import { isBlockSpan } from '../../model/blocks/block-span.js';
import { summariseVictims, victimOf } from '../../model/blocks/victims.js';
import type { Block, TraceSpan, Victim } from '../../model/types.js';
import {
  blockFromSpan,
  instanceFromResource,
  poolWaitFromSpan,
  saturationFromSpan,
  secondsOf,
  traceSpanFrom,
} from '../otlp/convert.js';
import type { SpanGroup } from '../otlp/decoded.js';
import { isWithinRetention, upsertBlock } from './blocks.js';
import { addPoolWait } from './pool-waits.js';
import { requestName, victimName } from './request-name.js';
import { addSaturation } from './saturations.js';
import { sizeOfValue } from './sized-map.js';
import {
  type Change,
  emptyChange,
  noteDelay,
  registerInstance,
  sizeOfSpan,
  type Store,
  type StoredTrace,
} from './store.js';

/** Spans kept of one trace: the page shows 2,000 of them. */
const MAX_SPANS_OF_TRACE = 10_000;
/** Blocks of one trace that still get the name of their request when its span arrives. */
const MAX_BLOCKS_OF_TRACE = 128;
/** Victims of one block that are known by name. */
const MAX_VICTIMS = 2_000;

/** Stores the spans of one request. `knownInstance` replaces the instance that their resource describes. */
export function ingestSpans(store: Store, groups: readonly SpanGroup[], nowMs: number, knownInstance?: string): Change {
  const change = emptyChange();
  const changedBlocks = new Set<string>();
  const touchedTraces = new Set<StoredTrace>();
  const delayedBy = new Set<string>();
  for (const group of groups) {
    const instance = store.instances.get(knownInstance ?? '') ?? instanceFromResource(group.resource);
    const instanceId = registerInstance(store, instance, nowMs, change);
    if (instanceId === undefined) continue;
    let newestMs = -Infinity;
    for (const decoded of group.spans) {
      store.totals.spans += 1;
      const span = traceSpanFrom(decoded, instanceId, group.scope);
      // Also of what is refused: a clock that is a day ahead is what the reader must know.
      if (span) newestMs = Math.max(newestMs, span.endMs);
      if (!span || !isWithinRetention(store, span.endMs, nowMs)) {
        // What is only old would be evicted at once.
        if (!span || span.endMs > nowMs) store.totals.notKept.invalid += 1;
        continue;
      }
      const trace = addToTrace(store, span, nowMs);
      touchedTraces.add(trace);
      if (isBlockSpan(span)) {
        const id = upsertBlock(store, blockFromSpan(span, decoded.attributes), change, nowMs);
        if (id === undefined) continue;
        changedBlocks.add(id);
        markBlocked(store, span.traceId, trace, id);
      } else if (span.name === SPAN_LIBUV_THREAD_POOL_STARVED) {
        const wait = acceptPoolWait(poolWaitFromSpan(span, decoded.attributes));
        if (wait) addPoolWait(store, wait);
        else store.totals.notKept.invalid += 1;
      } else if (span.name === SPAN_EVENT_LOOP_SATURATED) {
        const saturation = acceptSaturation(saturationFromSpan(span, decoded.attributes));
        if (saturation) addSaturation(store, saturation);
        else store.totals.notKept.invalid += 1;
      } else if (span.attributes[ATTR_BLOCKED_WAIT_TIME] !== undefined) {
        for (const id of addVictim(store, span)) delayedBy.add(id);
      }
    }
    noteDelay(store, instanceId, newestMs, nowMs, change);
  }
  // Once for each block, not for each victim: a block may have thousands. They may have arrived before it.
  for (const id of new Set([...changedBlocks, ...delayedBy])) if (completeBlock(store, id)) changedBlocks.add(id);
  // The span of a request ends after the block in it: this batch may have brought its name.
  for (const trace of touchedTraces) {
    for (const id of trace.blockIds) if (nameBlock(store, id)) changedBlocks.add(id);
  }
  for (const id of changedBlocks) {
    const block = store.blocks.get(id);
    if (block) change.blocks.push(block);
  }
  return change;
}

function addToTrace(store: Store, span: TraceSpan, nowMs: number): StoredTrace {
  const { traceId, spanId } = span;
  const traces = store.blockedTraces.has(traceId) ? store.blockedTraces : store.plainTraces;
  let trace = traces.get(traceId);
  if (!trace) traces.set(traceId, (trace = { spans: new Map(), blockIds: new Set(), bytes: 0, lastSeenMs: nowMs }));
  trace.lastSeenMs = nowMs;
  traces.touch(traceId);
  const replaced = trace.spans.get(spanId);
  if (!replaced && trace.spans.size >= MAX_SPANS_OF_TRACE) {
    store.totals.notKept.spans += 1;
    return trace;
  }
  const bytes = sizeOfSpan(span) - (replaced ? sizeOfSpan(replaced) : 0);
  trace.spans.set(spanId, span);
  trace.bytes += bytes;
  traces.grow(traceId, bytes);
  return trace;
}

function markBlocked(store: Store, traceId: string, trace: StoredTrace, blockId: string): void {
  store.plainTraces.delete(traceId);
  store.blockedTraces.set(traceId, trace);
  trace.blockIds.add(blockId);
  const [oldest] = trace.blockIds;
  if (trace.blockIds.size > MAX_BLOCKS_OF_TRACE && oldest !== undefined) trace.blockIds.delete(oldest);
}

/** Returns the ids of the blocks that delayed the span. */
function addVictim(store: Store, span: TraceSpan): string[] {
  const waitMs = secondsOf(span.attributes[ATTR_BLOCKED_WAIT_TIME]);
  const { traceId, spanId, instance, startMs, endMs, links } = span;
  const victim: Victim = {
    traceId,
    spanId,
    ...victimName(span),
    instance,
    startMs,
    endMs,
    blockCount: links.length,
    ...(waitMs !== undefined && { waitMs }),
  };
  for (const link of links) {
    const victims = store.victims.get(link.spanId);
    if (!victims) store.victims.set(link.spanId, new Map([[spanId, victim]]));
    else if (victims.has(spanId)) continue;
    else if (victims.size >= MAX_VICTIMS) store.totals.notKept.victims += 1;
    else {
      victims.set(spanId, victim);
      store.victims.grow(link.spanId, sizeOfValue(victim));
    }
  }
  return links.map((link) => link.spanId);
}

/** Sets the block's request from other spans; returns whether it changed. */
function nameBlock(store: Store, id: string): boolean {
  const block = store.blocks.get(id);
  const request = block && requestName(store, block);
  if (request === undefined || request === block?.request) return false;
  store.blocks.set(id, { ...block!, request });
  return true;
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
  return [...(store.victims.get(block.spanId ?? '')?.values() ?? [])].map((victim) => victimOf(block, victim));
}
