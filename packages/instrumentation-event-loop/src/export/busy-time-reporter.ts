import { type Attributes, type Counter, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import {
  ATTR_CODE_FUNCTION_NAME,
  ATTR_REQUEST,
  ATTR_THREAD_NAME,
  METRIC_EVENT_LOOP_BUSY_TIME,
  OTHER_CULPRITS,
} from '../semconv.js';
import type { BusyMessage, BusyShare } from '../types.js';
import { deliver } from './block-channel.js';
import { BusyLedger, type BusyPart } from './busy-ledger.js';
import { BusySeries } from './busy-series.js';
import { busyChannel } from './channels.js';
import { claimReport } from './claim-report.js';
import type { HeldSpans } from './held-spans.js';
import { meterOf } from './meter.js';
import type { NamedCount, NamedWindow } from './named-window.js';
import { Saturation } from './saturation.js';

/** Threads whose time is divided; those that have been silent for longest are forgotten first. */
const MAX_THREADS = 256;
/** Thread names with series of their own; all further names share one. An application may name each of its jobs. */
const MAX_NAMES = 100;
const OTHER_THREADS = 'other';

interface ReportedThread {
  readonly threadName: string;
  readonly ledger: BusyLedger;
  readonly saturation: Saturation;
}

/** Reports the time of the loop: the counter of busy time, and a span for a loop that was saturated. */
export class BusyTimeReporter {
  readonly #captureStacks: boolean;
  readonly #heldSpans: HeldSpans;
  readonly #threads = new Map<number, ReportedThread>();
  readonly #series = new Map<string, BusySeries>();
  /** The provider of the last window. */
  #meters: MeterProvider | undefined;
  #provider: MeterProvider | undefined;
  #busyTime: Counter | undefined;

  constructor(captureStacks: boolean, heldSpans: HeldSpans) {
    this.#captureStacks = captureStacks;
    this.#heldSpans = heldSpans;
  }

  /** `event` is the same object for all instrumentations of the thread: one of them reports it to a provider. */
  record(meters: MeterProvider, tracers: TracerProvider, window: NamedWindow, event: object): void {
    const isUnclaimed = claimReport(event, meters);
    const mayTrace = claimReport(event, tracers);
    if (!isUnclaimed && !mayTrace) return;
    const { threadName, ledger, saturation } = this.#threadOf(window, meters);
    this.#meters = meters;
    if (isUnclaimed) this.#count(meters, threadName, ledger.add(window));
    if (mayTrace) saturation.add(window, tracers);
  }

  /** Publishes the window where something subscribes; the first of several instrumentations does. Returns whether. */
  publish(window: NamedWindow, epochOffset: number, event: object): boolean {
    if (!busyChannel.hasSubscribers) return false;
    if (claimReport(event, busyChannel)) deliver(busyChannel, messageOf(window, epochOffset));
    return true;
  }

  /** Divides now what was to be divided later: the process may end, or the telemetry be flushed. */
  settle(): void {
    for (const { threadName, ledger } of this.#threads.values())
      if (this.#meters) this.#count(this.#meters, threadName, ledger.settle());
  }

  #count(provider: MeterProvider, nameOfThread: string, parts: readonly BusyPart[]): void {
    if (parts.length === 0) return;
    const busyTime = this.#busyTimeOf(provider);
    const isKnown = this.#series.has(nameOfThread) || this.#series.size < MAX_NAMES;
    const threadName = isKnown ? nameOfThread : OTHER_THREADS;
    let series = this.#series.get(threadName);
    if (!series) this.#series.set(threadName, (series = new BusySeries(this.#captureStacks)));
    for (const { count, ms } of parts) busyTime.add(ms / 1000, this.#attributesOf(threadName, series, count, ms));
  }

  #attributesOf(threadName: string, series: BusySeries, count: NamedCount | undefined, ms: number): Attributes {
    // What had no answer was perhaps in a request.
    const names = count
      ? series.namesFor(count, ms)
      : { request: OTHER_CULPRITS, functionName: this.#captureStacks ? OTHER_CULPRITS : undefined };
    return {
      [ATTR_THREAD_NAME]: threadName,
      ...(names.request === undefined ? {} : { [ATTR_REQUEST]: names.request }),
      ...(names.functionName === undefined ? {} : { [ATTR_CODE_FUNCTION_NAME]: names.functionName }),
    };
  }

  #threadOf({ threadId, threadName }: NamedWindow, meters: MeterProvider): ReportedThread {
    const known = this.#threads.get(threadId);
    this.#threads.delete(threadId);
    const saturation = known?.saturation ?? new Saturation(this.#captureStacks, this.#heldSpans);
    const thread = known ?? { threadName, ledger: new BusyLedger(), saturation };
    this.#threads.set(threadId, thread);
    if (this.#threads.size > MAX_THREADS) {
      const [oldest] = this.#threads;
      if (oldest) {
        this.#threads.delete(oldest[0]);
        this.#count(meters, oldest[1].threadName, oldest[1].ledger.settle());
      }
    }
    return thread;
  }

  #busyTimeOf(provider: MeterProvider): Counter {
    if (this.#busyTime && this.#provider === provider) return this.#busyTime;
    this.#provider = provider;
    this.#busyTime = meterOf(provider).createCounter(METRIC_EVENT_LOOP_BUSY_TIME, {
      description: 'Time for which the event loop was busy, also where nothing blocked.',
      unit: 's',
    });
    return this.#busyTime;
  }
}

/** The message of a window: the answers of one request, function and stack are one share. */
export function messageOf(
  { start, end, busyMs, runQueueMs, gcMs, counts, threadId, threadName }: NamedWindow,
  epochOffset: number,
): BusyMessage {
  const shares = new Map<string, { -readonly [Key in keyof BusyShare]: BusyShare[Key] }>();
  for (const { request, culprit, stack, isInBlock, answers, weightMs, lateAnswers } of counts) {
    const key = JSON.stringify([request, culprit?.functionName, culprit?.filePath, stack, isInBlock]);
    const share = shares.get(key);
    if (share) {
      share.answers += answers;
      share.weightMs += weightMs;
      share.lateAnswers += lateAnswers;
      continue;
    }
    const names = { ...(request === undefined ? {} : { request }), ...(culprit ? { culprit } : {}) };
    shares.set(key, { ...names, stack, isInBlock, answers, weightMs, lateAnswers });
  }
  const sorted = [...shares.values()].sort((a, b) => b.answers - a.answers).map((share) => Object.freeze(share));
  return Object.freeze({
    threadId,
    threadName,
    startEpochMs: epochOffset + start,
    durationMs: end - start,
    busyMs,
    ...(runQueueMs === undefined ? {} : { runQueueTimeMs: runQueueMs }),
    ...(gcMs === undefined ? {} : { gcTimeMs: gcMs }),
    answers: sorted.reduce((sum, { answers }) => sum + answers, 0),
    shares: Object.freeze(sorted),
  });
}
