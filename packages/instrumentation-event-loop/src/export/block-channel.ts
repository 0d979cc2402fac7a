import type { Channel } from 'node:diagnostics_channel';
import { diag, trace } from '@opentelemetry/api';
import type { HangNotice, PlainAttributes, SpanIds } from '../contract/hang-report.js';
import type { Block } from '../contract/model.js';
import {
  ATTR_BLOCKED_ASYNC_RESOURCE,
  ATTR_BLOCKED_BECAUSE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_GC_TIME,
  ATTR_BLOCKED_LINES,
  ATTR_BLOCKED_PENDING,
  ATTR_BLOCKED_PROFILE,
  ATTR_BLOCKED_REQUEST,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_SAMPLE_COUNT,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_COLUMN_NUMBER,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_LINE_NUMBER,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
} from '../semconv.js';
import type { BlockMessage, HangMessage } from '../types.js';
import { blockInfo } from './block-info.js';
import { blockChannel, hangChannel } from './channels.js';
import { claimReport } from './claim-report.js';
import { BlockingGuard } from './guarded-hook.js';
import { safely } from './safely.js';

/** Publishes blocks and hangs on `node:diagnostics_channel`. Where several instrumentations publish, the first does. */
export class BlockChannel {
  readonly #captureStacks: boolean;
  readonly #now: () => number;
  readonly #epochNow: () => number;
  readonly #guard: BlockingGuard;

  constructor(captureStacks: boolean, now: () => number, epochNow: () => number = Date.now) {
    this.#captureStacks = captureStacks;
    this.#now = now;
    this.#epochNow = epochNow;
    this.#guard = new BlockingGuard('The subscribers of loopwatch:block have', 'nothing is published', now);
  }

  /** Returns whether the channel has subscribers in this thread. */
  publish(block: Block): boolean {
    if (!blockChannel.hasSubscribers) return false;
    if (!claimReport(block, blockChannel)) return true;
    const {
      startTime,
      endTime,
      suppressedCount: _count,
      context,
      ...fields
    } = blockInfo(block, this.#captureStacks, 0);
    const spanContext = safely(() => trace.getSpanContext(context), undefined);
    const startEpochMs = this.#epochNow() - (this.#now() - startTime);
    const message: BlockMessage = Object.freeze({ ...fields, startEpochMs, ...idsOf(spanContext) });
    this.#guard.call({ startTime, endTime, durationMs: block.durationMs }, () => {
      deliver(blockChannel, message);
    });
    return true;
  }

  publishHang(notice: HangNotice): void {
    if (hangChannel.hasSubscribers && claimReport(notice, hangChannel)) deliver(hangChannel, hangMessage(notice));
  }
}

/** The message of a hang, from the attributes that its span has. */
export function hangMessage({ startEpochMs, durationMs, parent, attributes }: HangNotice): HangMessage {
  const known = {
    startEpochMs,
    durationMs,
    cause: attributes[ATTR_BLOCKED_CAUSE],
    because: attributes[ATTR_BLOCKED_BECAUSE],
    cpuTimeMs: milliseconds(attributes, ATTR_BLOCKED_CPU_TIME),
    gcTimeMs: milliseconds(attributes, ATTR_BLOCKED_GC_TIME),
    runQueueTimeMs: milliseconds(attributes, ATTR_BLOCKED_RUN_QUEUE_TIME),
    culprit: culpritOf(attributes),
    stackTrace: attributes[ATTR_CODE_STACKTRACE],
    stackQuality: attributes[ATTR_BLOCKED_STACK_QUALITY],
    sampleCount: attributes[ATTR_BLOCKED_SAMPLE_COUNT] ?? 0,
    profile: attributes[ATTR_BLOCKED_PROFILE],
    lines: attributes[ATTR_BLOCKED_LINES],
    asyncResource: attributes[ATTR_BLOCKED_ASYNC_RESOURCE],
    pending: attributes[ATTR_BLOCKED_PENDING],
    request: attributes[ATTR_BLOCKED_REQUEST],
    threadId: attributes[ATTR_THREAD_ID],
    threadName: attributes[ATTR_THREAD_NAME],
    ...idsOf(parent),
  };
  const present = Object.entries(known).filter(([, value]) => value !== undefined);
  return Object.freeze(Object.fromEntries(present)) as unknown as HangMessage;
}

function culpritOf(attributes: PlainAttributes): unknown {
  const functionName = attributes[ATTR_CODE_FUNCTION_NAME];
  if (functionName === undefined) return undefined;
  return {
    functionName,
    filePath: attributes[ATTR_CODE_FILE_PATH],
    lineNumber: attributes[ATTR_CODE_LINE_NUMBER],
    columnNumber: attributes[ATTR_CODE_COLUMN_NUMBER],
  };
}

function milliseconds(attributes: PlainAttributes, name: string): number | undefined {
  const seconds = attributes[name];
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

function idsOf(ids: SpanIds | undefined): Partial<SpanIds> {
  return ids ? { traceId: ids.traceId, spanId: ids.spanId } : {};
}

type Listener = (message: unknown, name: string | symbol) => void;

const reported = new Set<Channel>();

/**
 * Calls the subscribers. `publish` would turn an error of one into an uncaught exception, which ends the application.
 * The list of subscribers is the same undocumented property in Node.js 20 to 26; where it is missing, `publish` is called.
 */
export function deliver(to: Channel, message: object): void {
  const { _subscribers: listeners } = to as unknown as { readonly _subscribers?: unknown };
  if (!Array.isArray(listeners)) {
    to.publish(message);
    return;
  }
  for (const listener of [...(listeners as Listener[])]) {
    try {
      listener(message, to.name);
    } catch (error) {
      reportError(to, error);
    }
  }
}

function reportError(of: Channel, error: unknown): void {
  if (reported.has(of)) return;
  reported.add(of);
  safely(() => {
    diag.error(`A subscriber of ${String(of.name)} has thrown an error.`, error);
  }, undefined);
}
