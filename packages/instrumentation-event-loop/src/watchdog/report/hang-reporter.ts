import { isFileUrl } from '../../contract/file-url.js';
import type { HangDestination, HangNotice, OtlpEndpoint, OtlpTarget } from '../../contract/hang-report.js';
import { printable } from '../../contract/printable.js';
import type { StalledThread } from '../../contract/stalled-thread.js';
import { ATTR_HANG_DROPPED_COUNT, ATTR_THREAD_ID, ATTR_THREAD_NAME } from '../../semconv.js';
import { append } from './append.js';
import { Destination, TRANSPORT, type Transport } from './destination.js';
import { attributesWithoutAnswer, deniesHang, hangReportsOf, timeAttributes } from './hang-reports.js';
import { hangRequest, stalledRequest } from './otlp-json.js';
import { randomBytes } from './random.js';
import { Spool } from './spool.js';

/** Receivers that are remembered. */
const MAX_DESTINATIONS = 16;

/**
 * Sends hang reports and the `event_loop.stalled` gauge for blocked threads, which cannot send them themselves. What a
 * file is to know is written at once: the block and its length so far.
 */
export class HangReporter {
  readonly #onUndelivered: (origin: string) => void;
  readonly #transport: Transport;
  #hangDestinations: readonly HangDestination[] = [];
  /** By origin: a receiver gets one request at a time, of whatever signal. */
  readonly #destinations = new Map<string, Destination>();

  /** `onUndelivered` is called with the origin of a receiver that does not take the reports. */
  constructor(onUndelivered: (origin: string) => void, transport = TRANSPORT) {
    this.#onUndelivered = onUndelivered;
    this.#transport = transport;
  }

  /** Whether requests are pending. */
  get isBusy(): boolean {
    return [...this.#destinations.values()].some(({ isSending }) => isSending);
  }

  /** Sets where to report threads that do not answer, and sends the reports that earlier processes have left there. */
  setHangDestinations(hangDestinations: readonly HangDestination[]): void {
    // By both: the receiver changes when an SDK starts after the watchdog.
    const keyOf = ({ target }: HangDestination): string => `${target.spoolDirectory} ${target.traces.url}`;
    const known = new Set(this.#hangDestinations.map((each) => keyOf(each)));
    this.#hangDestinations = hangDestinations;
    for (const destination of hangDestinations) {
      const { target } = destination;
      if (target.spoolDirectory === undefined || known.has(keyOf(destination))) continue;
      const endpoint = target.traces;
      for (const { body, forget } of new Spool(target.spoolDirectory).leftovers())
        this.#destinationOf(endpoint)?.report({ endpoint, body, isLeftover: true, droppedCount: 0, forget });
    }
  }

  stalled(thread: StalledThread): void {
    this.#postLength(thread, thread.ageMs / 1000, isReceiver);
  }

  lengthSoFar(thread: StalledThread): void {
    this.#postLength(thread, thread.ageMs / 1000, isFile);
  }

  /** Says that the length so far is the last one: the thread has ended. */
  ended(thread: StalledThread): void {
    this.#postLength(thread, undefined, isFile);
  }

  /** Reports the hang to all receivers under one span id; returns the bytes of its trace id and span id. */
  hang(thread: StalledThread): Uint8Array {
    return this.#postBlock(thread, isReceiver);
  }

  blockSoFar(thread: StalledThread): void {
    this.#postBlock(thread, isFile);
  }

  /** Without `seconds`: it has no length any more. */
  #postLength(thread: StalledThread, seconds: number | undefined, isMeant: (target: OtlpTarget) => boolean): void {
    const attributes = {
      [ATTR_THREAD_ID]: thread.threadId,
      [ATTR_THREAD_NAME]: printable(thread.threadName),
      ...timeAttributes(thread.times),
    };
    for (const { target, resource } of hangReportsOf(thread, this.#hangDestinations)) {
      if (!target || !isMeant(target)) continue;
      const endpoint = target.metrics;
      const body = stalledRequest(resource, seconds, Date.now(), attributes);
      if (isFile(target)) append(endpoint, body);
      else this.#destinationOf(endpoint)?.gauge(`${endpoint.url} ${thread.threadId}`, { endpoint, body });
    }
  }

  #postBlock(thread: StalledThread, isMeant: (target: OtlpTarget) => boolean): Uint8Array {
    const endEpochMs = Date.now();
    const ids = randomBytes(24);
    for (const { target, resource, parent, links, attributes } of hangReportsOf(thread, this.#hangDestinations)) {
      if (!target || !isMeant(target)) continue;
      const endpoint = target.traces;
      const destination = isFile(target) ? undefined : this.#destinationOf(endpoint);
      const droppedCount = destination?.takeDroppedCount() ?? 0;
      if (parent) Buffer.from(parent.traceId, 'hex').copy(ids);
      const hex = ids.toString('hex');
      const body = hangRequest(resource, {
        ids: { traceId: hex.slice(0, 32), spanId: hex.slice(32) },
        parentSpanId: parent?.spanId,
        links,
        startEpochMs: endEpochMs - thread.ageMs,
        endEpochMs,
        attributes: droppedCount > 0 ? { ...attributes, [ATTR_HANG_DROPPED_COUNT]: droppedCount } : attributes,
      });
      if (isFile(target)) append(endpoint, body);
      else destination?.report({ endpoint, body, droppedCount, forget: keep(target, body) });
    }
    return ids;
  }

  /** The hang as a message for the thread that has started the watchdog; undefined where the thread denies it. */
  noticeOf(thread: StalledThread): HangNotice | undefined {
    const [report] = hangReportsOf(thread, this.#hangDestinations);
    if (!report && deniesHang(thread)) return undefined;
    const { parent, attributes } = report ?? { parent: undefined, attributes: attributesWithoutAnswer(thread) };
    return { startEpochMs: Date.now() - thread.ageMs, durationMs: thread.ageMs, parent, attributes };
  }

  /** Undefined where too many receivers have reports that wait: the watched process names them. */
  #destinationOf({ url }: OtlpEndpoint): Destination | undefined {
    const key = URL.canParse(url) ? new URL(url).origin : url;
    const known = this.#destinations.get(key);
    if (known) return known;
    for (const [other, { isIdle }] of this.#destinations) if (isIdle) this.#destinations.delete(other);
    if (this.#destinations.size >= MAX_DESTINATIONS) return undefined;
    const destination = new Destination(() => {
      this.#onUndelivered(key);
    }, this.#transport);
    this.#destinations.set(key, destination);
    return destination;
  }
}

/** Keeps the report on disk where the target has a directory for that; returns a function that deletes it. */
function keep({ spoolDirectory }: OtlpTarget, body: string): () => void {
  return spoolDirectory === undefined ? () => undefined : new Spool(spoolDirectory).keep(body);
}

function isFile({ traces }: OtlpTarget): boolean {
  return isFileUrl(traces.url);
}

function isReceiver(target: OtlpTarget): boolean {
  return !isFile(target);
}
