import {
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_GC_TIME,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_THREAD_ID,
  METRIC_EVENT_LOOP_STALLED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { type ChannelRecord, HEADER_PROCESS, type WatchdogRequest } from '../../channel/contract.js';
import { acceptBlock } from '../../model/accept/block.js';
import { acceptLagPoint } from '../../model/accept/lag-point.js';
import { duration, instanceId, time } from '../../model/rules.js';
import { endOf } from '../../model/time-range.js';
import type { Block } from '../../model/types.js';
import { numberOf } from '../otlp/convert.js';
import type { DecodedSpan, SpanGroup } from '../otlp/decoded.js';
import { metricsOf, spanGroupsOf } from '../otlp/json.js';
import { ingestSpans } from './ingest-spans.js';
import { type Change, emptyChange, type Store } from './store.js';

/** While a thread is blocked, its process says so ten times a second: one that is silent for this time, ms, may have ended. */
const SILENT_MS = 3000;

/** A report that is due is there after this time, ms, also of a thread that does not answer or waits for a CPU. */
const REPORT_MS = 3000;

/** The times of a report are those of a longer block where it covers this share of it at least. */
const MIN_MEASURED_SHARE = 0.9;

/** Threads that are kept: a hostile process may name any number. */
const MAX_THREADS = 10_000;

/** A block that has not ended, as far as the watchdog of its process has written it down. */
interface OngoingBlock {
  readonly instance: string;
  readonly group: SpanGroup;
  readonly span: DecodedSpan;
  /** Epoch, ms, by the clock of the process. */
  endMs: number;
  /** The times of the block that came with its last length; none where the system does not show them. */
  times: Attributes;
  /** How long the thread is blocked, ms, by the watchdog: `endMs` stays behind where the cause would not hold any more. */
  blockedMs: number;
  /** By our own clock, ms. */
  heardAtMs: number;
  /** The loop of the thread has iterated: its block, if it was one, is being judged. */
  hasRecovered: boolean;
  /** Length, ms, from which on it is published as one that lasts. */
  publishAtMs: number;
}

type Attributes = DecodedSpan['attributes'];

export interface OngoingBlocksOptions {
  /** Length, ms, from which on a block is published while it lasts, and again at doubling lengths. */
  readonly hangThresholdMs: number;
  readonly isAlive: (instance: string) => boolean;
  /** Whether a process was stopped by a signal: it says nothing, and goes on later. Asked seldom: it may be a command. */
  readonly isStopped: (instance: string) => boolean;
}

/**
 * Keeps what the processes say of blocks that last. A block that ends is reported by its own thread. Where a process is
 * killed in its block or right after it, what it has said before is all that is known.
 */
export class OngoingBlocks {
  readonly #store: Store;
  readonly #options: OngoingBlocksOptions;
  /** By process and thread. */
  readonly #blocks = new Map<string, OngoingBlock>();
  /**
   * By thread: its last reported block, epoch, ms; unbounded where all is known. A whole time: after the system's clock was
   * set back, what the watchdog says of later blocks is before it.
   */
  readonly #reported = new Map<string, { readonly startMs: number; readonly endMs: number }>();
  /** The threads that have ended before they reported their block. */
  readonly #cutShort = new Set<string>();

  constructor(store: Store, options: OngoingBlocksOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Takes what a record says of a block that lasts, or that it has ended. */
  note(record: ChannelRecord, nowMs: number): void {
    if (record.type === 'request') this.#noteRequest(record, nowMs);
    else if (record.type === 'block') {
      const block = acceptBlock(record.block);
      if (!block) return;
      const { instance, threadId, startMs } = block;
      this.#noteReported(keyOf(instance, threadId), startMs, endOf(block));
    } else if (record.type === 'end') {
      this.#noteReported(keyOf(record.instance, record.threadId), -Infinity, Infinity);
    } else if (record.type === 'lag') {
      // The process has lived on, and no block was reported: it was none.
      const point = acceptLagPoint(record.point);
      for (const [key, { instance, hasRecovered }] of this.#blocks) {
        if (hasRecovered && instance === point?.instance) this.#blocks.delete(key);
      }
    }
  }

  /** Whether the main thread of a process has not said for a moment that its block is over. */
  isMainBlocked(instance: string): boolean {
    return this.#blocks.get(keyOf(instance, 0))?.hasRecovered === false;
  }

  /** The processes whose main thread is blocked, as far as they have said, with the time for which it is, ms. */
  blockedMains(): { readonly instance: string; readonly blockedMs: number }[] {
    return [...this.#blocks]
      .filter(([key, { instance, hasRecovered }]) => !hasRecovered && key === keyOf(instance, 0))
      .map(([, { instance, blockedMs }]) => ({ instance, blockedMs }));
  }

  /** Whether the thread of a block that has not ended has ended itself. */
  hasThreadEnded({ instance, threadId }: Pick<Block, 'instance' | 'threadId'>): boolean {
    return this.#cutShort.has(keyOf(instance, threadId));
  }

  /** Publishes the blocks that have become hangs. */
  takeHangs(nowMs: number): Change {
    const hangs = [...this.#blocks.values()].filter((ongoing) => isHangReported(ongoing));
    for (const ongoing of hangs) while (lengthOf(ongoing) >= ongoing.publishAtMs) ongoing.publishAtMs *= 2;
    return this.#publish(hangs, nowMs);
  }

  /** Publishes the blocks of processes and threads that have ended; with `all`, every block. */
  takeCutShort(nowMs: number, all = false): Change {
    const cutShort: OngoingBlock[] = [];
    for (const [key, ongoing] of this.#blocks) {
      if (!all && nowMs - ongoing.heardAtMs < SILENT_MS) continue;
      if (!all && this.#options.isStopped(ongoing.instance)) {
        ongoing.heardAtMs = nowMs;
        continue;
      }
      this.#blocks.delete(key);
      if (!ongoing.hasRecovered || !this.#options.isAlive(ongoing.instance)) cutShort.push(ongoing);
    }
    return this.#publish(cutShort, nowMs);
  }

  #noteReported(key: string, startMs: number, endMs: number): void {
    const ongoing = this.#blocks.get(key);
    if (ongoing && endMs > ongoing.span.startMs) this.#blocks.delete(key);
    const known = this.#reported.get(key);
    if (known ? known.endMs === Infinity : this.#reported.size >= MAX_THREADS) return;
    this.#reported.set(key, { startMs, endMs });
  }

  #noteRequest({ headers, body }: WatchdogRequest, nowMs: number): void {
    // The program itself may have written there, and anything.
    const instance = instanceId((headers as Partial<typeof headers> | undefined)?.[HEADER_PROCESS]) ?? '';
    try {
      for (const group of spanGroupsOf(body)) {
        for (const span of group.spans) this.#noteSpan(instance, group, span, nowMs);
      }
      const metrics = metricsOf(body).filter(({ name }) => name === METRIC_EVENT_LOOP_STALLED);
      for (const { attributes, value } of metrics.flatMap(({ points }) => points)) {
        const key = keyOf(instance, threadIdOf(attributes));
        // "No recorded value", in OTLP's terms: none follows the last one.
        if (value === undefined) this.#noteEnd(key);
        else this.#noteLength(key, value * 1000, attributes, nowMs);
      }
    } catch {
      // A full disk may truncate a line, and a process may write anything.
    }
  }

  #noteSpan(instance: string, group: SpanGroup, span: DecodedSpan, nowMs: number): void {
    const key = keyOf(instance, threadIdOf(span.attributes));
    if (time(span.startMs) === undefined || time(span.endMs) === undefined) return;
    // The watchdog has come late: the thread, or the main thread for it, has reported this block.
    const reported = this.#reported.get(key);
    const middleMs = (span.startMs + span.endMs) / 2;
    if (reported && middleMs > reported.startMs && middleMs < reported.endMs) return;
    const known = this.#blocks.get(key);
    if (!known && this.#blocks.size >= MAX_THREADS) return;
    const isSame = known !== undefined && !known.hasRecovered && span.startMs < known.endMs;
    this.#blocks.set(key, {
      instance,
      group,
      span,
      endMs: span.endMs,
      times: {},
      blockedMs: span.endMs - span.startMs,
      heardAtMs: nowMs,
      hasRecovered: false,
      publishAtMs: isSame ? known.publishAtMs : this.#options.hangThresholdMs,
    });
  }

  #noteLength(key: string, ageMs: number, attributes: Attributes, nowMs: number): void {
    const ongoing = this.#blocks.get(key);
    if (!ongoing || ongoing.hasRecovered || duration(ageMs) === undefined) return;
    ongoing.heardAtMs = nowMs;
    ongoing.hasRecovered = ageMs === 0;
    ongoing.blockedMs = Math.max(ongoing.blockedMs, ageMs);
    // How much of the further time the thread waited for a CPU is not known: it could make the cause another one.
    if (ongoing.span.attributes[ATTR_BLOCKED_CAUSE] === 'cpu_starved') return;
    const endMs = ongoing.span.startMs + ageMs;
    if (endMs < ongoing.endMs) return;
    [ongoing.endMs, ongoing.times] = [endMs, timesOf(attributes)];
  }

  /** The report of the block may still come: the main thread may have got it before the end of the thread. */
  #noteEnd(key: string): void {
    if (this.#blocks.has(key) && this.#cutShort.size < MAX_THREADS) this.#cutShort.add(key);
  }

  #publish(blocks: readonly OngoingBlock[], nowMs: number): Change {
    const changes = blocks.map((ongoing) =>
      ingestSpans(this.#store, [{ ...ongoing.group, spans: [spanOf(ongoing)] }], nowMs, ongoing.instance),
    );
    return changes.reduce((whole, part) => {
      whole.blocks.push(...part.blocks);
      whole.removedBlocks.push(...part.removedBlocks);
      return whole;
    }, emptyChange());
  }
}

function keyOf(instance: string, threadId: number): string {
  return `${instance}\n${threadId}`;
}

function threadIdOf(attributes: Attributes): number {
  return numberOf(attributes[ATTR_THREAD_ID]) ?? 0;
}

function lengthOf({ span, endMs }: OngoingBlock): number {
  return endMs - span.startMs;
}

/** Whether the block has become a hang and is known as of then: a report comes somewhat later than the length. */
function isHangReported(ongoing: OngoingBlock): boolean {
  const { span, publishAtMs } = ongoing;
  return span.endMs - span.startMs >= publishAtMs || lengthOf(ongoing) >= publishAtMs + REPORT_MS;
}

/** What is known of the block, with times that belong to its length. */
function spanOf({ span, endMs, times }: OngoingBlock): DecodedSpan {
  const isMeasured = span.endMs - span.startMs >= (endMs - span.startMs) * MIN_MEASURED_SHARE;
  const attributes = isMeasured ? span.attributes : withoutTimes(span.attributes);
  return { ...span, endMs, attributes: { ...attributes, ...times } };
}

/** Collections are counted by the thread alone, which says them in its answers. */
function timesOf(attributes: Attributes): Attributes {
  const names = [ATTR_BLOCKED_CPU_TIME, ATTR_BLOCKED_RUN_QUEUE_TIME];
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}

function withoutTimes({
  [ATTR_BLOCKED_CPU_TIME]: _cpuTime,
  [ATTR_BLOCKED_RUN_QUEUE_TIME]: _runQueueTime,
  [ATTR_BLOCKED_GC_TIME]: _gcTime,
  ...others
}: Attributes): Attributes {
  return others;
}
