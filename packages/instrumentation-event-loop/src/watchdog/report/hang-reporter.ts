import type {
  HangDestination,
  HangNotice,
  HangReport,
  OtlpEndpoint,
  OtlpTarget,
  PlainAttributes,
} from '../../contract/hang-report.js';
import { isFileUrl } from '../../contract/file-url.js';
import { printable } from '../../contract/printable.js';
import type { StalledThread } from '../../contract/stalled-thread.js';
import { ATTR_BLOCKED_CAUSE, ATTR_BLOCKED_STACK_QUALITY, ATTR_THREAD_ID, ATTR_THREAD_NAME } from '../../semconv.js';
import { hangRequest, stalledRequest } from './otlp-json.js';
import { randomBytes } from './random.js';
import { send } from './send.js';
import { Spool } from './spool.js';

/** Interval of delivery attempts, ms, and how many reports wait for the next one; the oldest are dropped first. */
const RETRY_MS = 2000;
const MAX_RETRIES_KEPT = 32;

/**
 * Sends hang reports and the `event_loop.stalled` gauge for blocked threads, which cannot send them themselves. What a
 * file is to know is written at once: the block and its length so far.
 */
export class HangReporter {
  #hangDestinations: readonly HangDestination[] = [];
  #pendingRequests = 0;
  #retries: (() => void)[] = [];
  #isRetryScheduled = false;

  /** Whether requests are pending or wait for another attempt. */
  get isBusy(): boolean {
    return this.#pendingRequests > 0 || this.#retries.length > 0;
  }

  /** Sets where to report threads that do not answer, and sends the reports that earlier processes have left there. */
  setHangDestinations(hangDestinations: readonly HangDestination[]): void {
    const known = new Set(this.#hangDestinations.map(({ target }) => target.spoolDirectory));
    this.#hangDestinations = hangDestinations;
    for (const { target } of hangDestinations) {
      if (target.spoolDirectory === undefined || known.has(target.spoolDirectory)) continue;
      for (const { body, forget } of new Spool(target.spoolDirectory).leftovers())
        this.#deliver(target.traces, body, forget);
    }
  }

  stalled(thread: StalledThread): void {
    this.#postLength(thread, isReceiver);
  }

  lengthSoFar(thread: StalledThread): void {
    this.#postLength(thread, isFile);
  }

  /** Reports the hang to all receivers under one span id; returns the bytes of its trace id and span id. */
  hang(thread: StalledThread): Uint8Array {
    return this.#postBlock(thread, isReceiver);
  }

  blockSoFar(thread: StalledThread): void {
    this.#postBlock(thread, isFile);
  }

  #postLength(thread: StalledThread, isMeant: (target: OtlpTarget) => boolean): void {
    const attributes = { [ATTR_THREAD_ID]: thread.threadId, [ATTR_THREAD_NAME]: printable(thread.threadName) };
    for (const { target, resource } of this.#reportsOf(thread)) {
      if (!target || !isMeant(target)) continue;
      // No second attempt: the next value is due by then.
      this.#post(
        target.metrics,
        stalledRequest(resource, thread.ageMs / 1000, Date.now(), attributes),
        () => undefined,
      );
    }
  }

  #postBlock(thread: StalledThread, isMeant: (target: OtlpTarget) => boolean): Uint8Array {
    const endEpochMs = Date.now();
    const ids = randomBytes(24);
    for (const { target, resource, parent, links, attributes } of this.#reportsOf(thread)) {
      if (!target || !isMeant(target)) continue;
      if (parent) Buffer.from(parent.traceId, 'hex').copy(ids);
      const hex = ids.toString('hex');
      const body = hangRequest(resource, {
        ids: { traceId: hex.slice(0, 32), spanId: hex.slice(32) },
        parentSpanId: parent?.spanId,
        links,
        startEpochMs: endEpochMs - thread.ageMs,
        endEpochMs,
        attributes,
      });
      const forget =
        target.spoolDirectory === undefined ? () => undefined : new Spool(target.spoolDirectory).keep(body);
      this.#deliver(target.traces, body, forget);
    }
    return ids;
  }

  /** The hang as a message for the thread that has started the watchdog. */
  noticeOf(thread: StalledThread): HangNotice {
    const [report] = this.#reportsOf(thread);
    const { parent, attributes } = report ?? { parent: undefined, attributes: attributesWithoutAnswer(thread) };
    return { startEpochMs: Date.now() - thread.ageMs, durationMs: thread.ageMs, parent, attributes };
  }

  #reportsOf(thread: StalledThread): readonly HangReport[] {
    const reports = thread.hangReports === undefined ? undefined : parseHangReports(thread.hangReports);
    if (reports) return reports;
    const attributes = attributesWithoutAnswer(thread);
    return this.#hangDestinations.map((destination) => ({ ...destination, parent: undefined, links: [], attributes }));
  }

  #deliver(endpoint: OtlpEndpoint, body: string, forget: () => void): void {
    this.#post(endpoint, body, (isFinal) => {
      if (isFinal) forget();
      else
        this.#retryLater(() => {
          this.#deliver(endpoint, body, forget);
        });
    });
  }

  #post(endpoint: OtlpEndpoint, body: string, done: (isFinal: boolean) => void): void {
    this.#pendingRequests++;
    send(endpoint, body, (outcome) => {
      this.#pendingRequests--;
      done(outcome !== 'retry');
    });
  }

  #retryLater(retry: () => void): void {
    this.#retries = [...this.#retries.slice(1 - MAX_RETRIES_KEPT), retry];
    if (this.#isRetryScheduled) return;
    this.#isRetryScheduled = true;
    setTimeout(() => {
      this.#isRetryScheduled = false;
      const retries = this.#retries;
      this.#retries = [];
      for (const retry of retries) retry();
    }, RETRY_MS);
  }
}

function isFile({ traces }: OtlpTarget): boolean {
  return isFileUrl(traces.url);
}

function isReceiver(target: OtlpTarget): boolean {
  return !isFile(target);
}

/** A thread that has not answered is in an uninterruptible call, and the report cannot name a function. */
function attributesWithoutAnswer({ threadId, threadName }: StalledThread): PlainAttributes {
  return {
    [ATTR_BLOCKED_CAUSE]: 'unknown',
    [ATTR_BLOCKED_STACK_QUALITY]: 'none',
    [ATTR_THREAD_ID]: threadId,
    [ATTR_THREAD_NAME]: printable(threadName),
  };
}

/** Parses the probe's answer; undefined when it is invalid: the application can replace the probe. */
function parseHangReports(text: string): HangReport[] | undefined {
  try {
    const reports: unknown = JSON.parse(text);
    return Array.isArray(reports) && reports.every(isHangReport) ? reports : undefined;
  } catch {
    return undefined;
  }
}

function isHangReport(value: unknown): value is HangReport {
  const { target, resource, parent, links, attributes } = (value ?? {}) as Partial<Record<keyof HangReport, unknown>>;
  return (
    (target === null || isTarget(target)) &&
    [resource, attributes].every(isObject) &&
    (parent === undefined || isSpanIds(parent)) &&
    Array.isArray(links) &&
    links.every(isSpanIds)
  );
}

function isTarget(value: unknown): boolean {
  const { traces, metrics } = (value ?? {}) as Partial<Record<keyof OtlpTarget, unknown>>;
  return [traces, metrics].every(isEndpoint);
}

function isEndpoint(value: unknown): boolean {
  return isObject(value) && typeof value['url'] === 'string';
}

function isSpanIds(value: unknown): boolean {
  return (
    isObject(value) &&
    /^[0-9a-f]{32}$/i.test(String(value['traceId'])) &&
    /^[0-9a-f]{16}$/i.test(String(value['spanId']))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
