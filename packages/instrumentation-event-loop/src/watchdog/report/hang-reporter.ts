import { randomBytes } from 'node:crypto';
import type { HangDestination, HangReport, OtlpEndpoint, OtlpTarget } from '../../contract/hang-report.js';
import { ATTR_BLOCKED_CAUSE, ATTR_BLOCKED_STACK_QUALITY, ATTR_THREAD_ID, ATTR_THREAD_NAME } from '../../semconv.js';
import { printable } from '../../contract/printable.js';
import type { StalledThread } from '../../contract/stalled-thread.js';
import { hangRequest, stalledRequest } from './otlp-json.js';
import { send } from './send.js';
import { Spool } from './spool.js';

/** How often a report that could not be delivered is tried again, ms, and how many are kept for that. */
const RETRY_MS = 2000;
const MAX_RETRIES_KEPT = 32;

/** Speaks for threads that are blocked, from the watchdog thread. */
export class HangReporter {
  #hangDestinations: readonly HangDestination[] = [];
  #pendingRequests = 0;
  #retries: (() => void)[] = [];
  #isRetryScheduled = false;

  /** Requests are under way. */
  get isBusy(): boolean {
    return this.#pendingRequests > 0 || this.#retries.length > 0;
  }

  /** Sets where to report for threads that never answered; sends what earlier processes could not. */
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
    const attributes = { [ATTR_THREAD_ID]: thread.threadId, [ATTR_THREAD_NAME]: printable(thread.threadName) };
    for (const { target, resource } of this.#reportsOf(thread)) {
      // Not tried again: the next value is due before that.
      this.#post(
        target.metrics,
        stalledRequest(resource, thread.ageMs / 1000, Date.now(), attributes),
        () => undefined,
      );
    }
  }

  /** Reports the hang to everybody concerned; returns the bytes of its trace id and span id, the same for all. */
  hang(thread: StalledThread): Uint8Array {
    const endEpochMs = Date.now();
    const ids = randomBytes(24);
    for (const { target, resource, parent, links, attributes } of this.#reportsOf(thread)) {
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

  #reportsOf({ threadId, threadName, hangReports }: StalledThread): readonly HangReport[] {
    const reports = hangReports === undefined ? undefined : parseHangReports(hangReports);
    if (reports) return reports;
    // It has not answered: it is in an uninterruptible call, and no function can be named.
    const attributes = {
      [ATTR_BLOCKED_CAUSE]: 'unknown',
      [ATTR_BLOCKED_STACK_QUALITY]: 'none',
      [ATTR_THREAD_ID]: threadId,
      [ATTR_THREAD_NAME]: printable(threadName),
    };
    return this.#hangDestinations.map(({ target, resource }) => ({
      target,
      resource,
      parent: undefined,
      links: [],
      attributes,
    }));
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

/** The probe's answer; undefined when it is not one: the application can replace the probe. */
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
  const { traces, metrics } = (target ?? {}) as Partial<Record<keyof OtlpTarget, unknown>>;
  return (
    [traces, metrics].every(isEndpoint) &&
    [resource, attributes].every(isObject) &&
    (parent === undefined || isSpanIds(parent)) &&
    Array.isArray(links) &&
    links.every(isSpanIds)
  );
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
