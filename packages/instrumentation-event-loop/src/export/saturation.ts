import { SpanKind, type Attributes, type TracerProvider } from '@opentelemetry/api';
import {
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_BUSY_ANSWER_COUNT,
  ATTR_BUSY_GC_TIME,
  ATTR_BUSY_PROFILE,
  ATTR_BUSY_REQUEST_SHARE,
  ATTR_BUSY_RUN_QUEUE_TIME,
  ATTR_BUSY_SHARE,
  ATTR_CODE_COLUMN_NUMBER,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_LINE_NUMBER,
  ATTR_REQUEST,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
  ATTR_UTILIZATION,
  SCOPE_NAME,
  SPAN_EVENT_LOOP_SATURATED,
} from '../semconv.js';
import { PACKAGE_VERSION } from '../version.js';
import { divide, type BusyPart } from './busy-ledger.js';
import type { HeldSpans } from './held-spans.js';
import type { NamedCount, NamedWindow } from './named-window.js';

/** A loop that was busy for this share of this time, ms, is saturated. */
const SATURATED_SHARE = 0.9;
const SATURATED_MS = 10_000;
/** Windows are closed by heartbeats, which come some milliseconds early or late. */
const TOLERANCE_MS = 500;
/** Shortest time between the ends of two reports of a thread, ms. */
const INTERVAL_MS = 60_000;
/** A share of fewer answers says little: windows before the ten seconds are added, up to a minute. */
const ENOUGH_ANSWERS = 50;
/** Characters of the profile. The lightest stacks are dropped first. */
const MAX_PROFILE = 16_384;

/** Reports a thread whose loop is saturated, whether something blocks or not. */
export class Saturation {
  readonly #captureStacks: boolean;
  readonly #heldSpans: HeldSpans;
  #windows: readonly NamedWindow[] = [];
  #reportedAt = -Infinity;

  constructor(captureStacks: boolean, heldSpans: HeldSpans) {
    this.#captureStacks = captureStacks;
    this.#heldSpans = heldSpans;
  }

  add(window: NamedWindow, provider: TracerProvider): void {
    const latest = this.#windows.at(-1);
    // After a gap, the windows before it are not of the same ten seconds.
    const before = latest && window.start - latest.end < TOLERANCE_MS ? this.#windows : [];
    this.#windows = [...before, window].filter(({ start }) => window.end - start <= INTERVAL_MS + TOLERANCE_MS);
    if (window.end - this.#reportedAt < INTERVAL_MS) return;
    const windows = saturatedWindows(this.#windows);
    const [first] = windows;
    if (!first) return;
    this.#reportedAt = window.end;
    const lengthMs = window.end - first.start;
    const busyMs = windows.reduce((sum, each) => sum + each.busyMs, 0);
    const span = provider.getTracer(SCOPE_NAME, PACKAGE_VERSION).startSpan(SPAN_EVENT_LOOP_SATURATED, {
      kind: SpanKind.INTERNAL,
      root: true,
      startTime: first.start,
      attributes: saturationAttributes(windows, lengthMs, busyMs, this.#captureStacks),
    });
    this.#heldSpans.end(span, window.end);
  }
}

/** The last windows that make a saturated time of ten seconds, or of more where those have few answers; empty if none do. */
function saturatedWindows(windows: readonly NamedWindow[]): readonly NamedWindow[] {
  const end = windows.at(-1)?.end ?? 0;
  let saturated: readonly NamedWindow[] = [];
  let [busyMs, answers] = [0, 0];
  for (let first = windows.length - 1; first >= 0; first--) {
    const { start, busyMs: own, counts } = windows[first]!;
    busyMs += own;
    for (const count of counts) answers += count.answers;
    if (end - start < SATURATED_MS - TOLERANCE_MS) continue;
    if (busyMs < (end - start) * SATURATED_SHARE) break;
    saturated = windows.slice(first);
    if (answers >= ENOUGH_ANSWERS) break;
  }
  return saturated;
}

/** Attributes of the span, from windows that follow each other. */
export function saturationAttributes(
  windows: readonly NamedWindow[],
  lengthMs: number,
  busyMs: number,
  captureStacks: boolean,
): Attributes {
  const [{ threadId, threadName } = { threadId: 0, threadName: '' }] = windows;
  const parts = divide(
    busyMs,
    windows.flatMap(({ counts }) => counts),
  );
  const byFunction = largest(parts, ({ culpritKey }) => culpritKey);
  const byRequest = largest(parts, ({ served }) => served);
  const profile = captureStacks ? foldParts(parts) : '';
  const runQueueMs = windows.reduce((sum, { runQueueMs: own = NaN }) => sum + own, 0);
  return {
    [ATTR_THREAD_ID]: threadId,
    [ATTR_THREAD_NAME]: threadName,
    [ATTR_UTILIZATION]: Math.min(1, busyMs / lengthMs),
    [ATTR_BUSY_ANSWER_COUNT]: parts.reduce((sum, { count }) => sum + (count?.answers ?? 0), 0),
    ...(Number.isNaN(runQueueMs) ? {} : { [ATTR_BUSY_RUN_QUEUE_TIME]: runQueueMs / 1000 }),
    ...gcAttributes(windows, busyMs),
    ...(byFunction ? functionAttributes(byFunction, busyMs) : {}),
    ...(byRequest
      ? { [ATTR_REQUEST]: byRequest.counts[0]?.served, [ATTR_BUSY_REQUEST_SHARE]: byRequest.ms / busyMs }
      : {}),
    ...(profile === '' ? {} : { [ATTR_BUSY_PROFILE]: profile }),
  };
}

/** By the windows in which they were measured: of less than half of the busy time, they say nothing about the rest. */
function gcAttributes(windows: readonly NamedWindow[], busyMs: number): Attributes {
  let [gcMs, measuredMs] = [0, 0];
  for (const window of windows) {
    if (window.gcMs === undefined) continue;
    gcMs += window.gcMs;
    measuredMs += window.busyMs;
  }
  return measuredMs <= 0 || measuredMs < busyMs / 2
    ? {}
    : { [ATTR_BUSY_GC_TIME]: ((gcMs / measuredMs) * busyMs) / 1000 };
}

interface Group {
  ms: number;
  readonly counts: NamedCount[];
}

function functionAttributes({ ms, counts }: Group, busyMs: number): Attributes {
  const [most] = [...counts].sort((a, b) => b.answers - a.answers);
  const { culprit } = most ?? {};
  if (!culprit) return {};
  const answers = counts.reduce((sum, count) => sum + count.answers, 0);
  const lateAnswers = counts.reduce((sum, count) => sum + count.lateAnswers, 0);
  return {
    [ATTR_CODE_FUNCTION_NAME]: culprit.functionName,
    ...(culprit.filePath === '' ? {} : { [ATTR_CODE_FILE_PATH]: culprit.filePath }),
    ...(culprit.lineNumber === 0 ? {} : { [ATTR_CODE_LINE_NUMBER]: culprit.lineNumber }),
    ...(culprit.columnNumber === 0 ? {} : { [ATTR_CODE_COLUMN_NUMBER]: culprit.columnNumber }),
    [ATTR_BUSY_SHARE]: ms / busyMs,
    [ATTR_BLOCKED_STACK_QUALITY]: lateAnswers > answers / 2 ? 'post_native' : 'live',
  };
}

/** The group with the most time, of those that have a key. */
function largest(parts: readonly BusyPart[], keyOf: (count: NamedCount) => string | undefined): Group | undefined {
  const groups = new Map<string, Group>();
  for (const { count, ms } of parts) {
    const key = count && keyOf(count);
    if (count === undefined || key === undefined) continue;
    const group = groups.get(key) ?? { ms: 0, counts: [] };
    groups.set(key, group);
    group.ms += ms;
    group.counts.push(count);
  }
  return [...groups.values()].reduce<Group | undefined>((a, b) => (a && a.ms >= b.ms ? a : b), undefined);
}

function foldParts(parts: readonly BusyPart[]): string {
  const stacks = new Map<string, number>();
  for (const { count, ms } of parts) if (count?.stack) stacks.set(count.stack, (stacks.get(count.stack) ?? 0) + ms);
  let folded = '';
  for (const [stack, ms] of [...stacks].sort((a, b) => b[1] - a[1])) {
    const line = `${stack} ${Math.max(1, Math.round(ms))}`;
    const next = folded === '' ? line : `${folded}\n${line}`;
    if (next.length <= MAX_PROFILE) folded = next;
  }
  return folded;
}
