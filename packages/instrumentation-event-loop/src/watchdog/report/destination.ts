import type { OtlpEndpoint } from '../../contract/hang-report.js';
import { retryDelay } from './back-off.js';
import { send as sendNow, type Outcome } from './send.js';

/** Reports that wait. Of more, those that an earlier process has left are dropped first, and the oldest then. */
export const MAX_WAITING_REPORTS = 32;
/** Attempts in a row that fail before a warning names the receiver: it may just restart. */
const TOLERATED_FAILURES = 2;
/** Threads whose gauge waits. */
const MAX_WAITING_GAUGES = 64;

/** A request that waits. */
export interface Request {
  readonly endpoint: OtlpEndpoint;
  readonly body: string;
}

export interface ReportRequest extends Request {
  /** An earlier process has left it: it waits until the reports of this one are sent. */
  readonly isLeftover?: boolean;
  /** How many dropped reports it counts. */
  readonly droppedCount: number;
  /** Called when no further attempt is needed: the receiver has accepted or refused it. */
  readonly forget: () => void;
}

/** Added to the order of what an earlier process has left. */
const LEFTOVER = 2 ** 40;

interface Waiting {
  readonly report: ReportRequest;
  readonly order: number;
}

/** What a destination needs of the world; tests give their own. */
export interface Transport {
  readonly send: typeof sendNow;
  readonly setTimeout: (callback: () => void, ms: number) => unknown;
  readonly random: () => number;
}

export const TRANSPORT: Transport = {
  send: sendNow,
  setTimeout: (callback, ms) => setTimeout(callback, ms).unref(),
  random: Math.random,
};

/**
 * One receiver. It gets one request at a time; after a failure, all that waits for it waits longer. Reports are sent
 * until they are accepted or refused, in order, and what an earlier process has left comes last: the hang of now must not
 * wait for it. Of the gauge of a thread, only the newest value waits, and it is sent once.
 */
export class Destination {
  readonly #transport: Transport;
  readonly #onUndelivered: () => void;
  #reports: readonly Waiting[] = [];
  #reportCount = 0;
  readonly #gauges = new Map<string, Request>();
  #isSending = false;
  #isDelayed = false;
  #isTold = false;
  #wasReport = false;
  #failures = 0;
  #droppedCount = 0;

  /** `onUndelivered` is called once: when the receiver refuses a report, or does not take one again and again. */
  constructor(onUndelivered: () => void, transport = TRANSPORT) {
    this.#onUndelivered = onUndelivered;
    this.#transport = transport;
  }

  get isSending(): boolean {
    return this.#isSending;
  }

  /** Nothing is sent, nothing waits, and nothing is to be remembered. */
  get isIdle(): boolean {
    const isWaiting = this.#isSending || this.#isDelayed || this.#reports.length > 0 || this.#gauges.size > 0;
    return !isWaiting && this.#droppedCount === 0;
  }

  /** Number of reports that were dropped since the last one that counts them; the caller's next report does. */
  takeDroppedCount(): number {
    const count = this.#droppedCount;
    this.#droppedCount = 0;
    return count;
  }

  report(request: ReportRequest): void {
    this.#wait({ report: request, order: ++this.#reportCount + (request.isLeftover === true ? LEFTOVER : 0) });
    this.#sendNext();
  }

  /** Sends the value of a gauge; it replaces the one with the same key that still waits. */
  gauge(key: string, request: Request): void {
    if (this.#gauges.size < MAX_WAITING_GAUGES || this.#gauges.has(key)) this.#gauges.set(key, request);
    this.#sendNext();
  }

  #wait(waiting: Waiting): void {
    const reports = [...this.#reports, waiting].sort((a, b) => a.order - b.order);
    if (reports.length > MAX_WAITING_REPORTS) {
      const dropped = reports.at(-1)!.report.isLeftover === true ? reports.pop() : reports.shift();
      this.#countDropped(dropped!.report);
    }
    this.#reports = reports;
  }

  #countDropped({ isLeftover, droppedCount }: ReportRequest): void {
    if (isLeftover !== true) this.#droppedCount += droppedCount + 1;
  }

  /** Reports and gauges take turns: a receiver may accept the one and not the other. */
  #sendNext(): void {
    if (this.#isSending || this.#isDelayed) return;
    const [gauge] = this.#gauges;
    const [waiting] = this.#reports;
    this.#wasReport = waiting !== undefined && !(this.#wasReport && gauge);
    if (waiting && this.#wasReport) this.#sendReport(waiting);
    else if (gauge) {
      this.#gauges.delete(gauge[0]);
      this.#send(gauge[1], () => undefined);
    }
  }

  #sendReport(waiting: Waiting): void {
    const { report } = waiting;
    this.#reports = this.#reports.slice(1);
    this.#send(report, (outcome) => {
      if (outcome === 'refused' || this.#failures > TOLERATED_FAILURES) this.#tellOnce();
      if (outcome === 'retry') {
        this.#wait(waiting);
        return;
      }
      if (outcome === 'refused') this.#countDropped(report);
      report.forget();
    });
  }

  #tellOnce(): void {
    if (!this.#isTold) this.#onUndelivered();
    this.#isTold = true;
  }

  #send({ endpoint, body }: Request, onOutcome: (outcome: Outcome) => void): void {
    this.#isSending = true;
    this.#transport.send(endpoint, body, (outcome, retryAfterMs) => {
      this.#isSending = false;
      this.#failures = outcome === 'retry' ? this.#failures + 1 : 0;
      onOutcome(outcome);
      if (outcome === 'retry') this.#delay(retryDelay(this.#failures, retryAfterMs, this.#transport.random()));
      this.#sendNext();
    });
  }

  #delay(ms: number): void {
    this.#isDelayed = true;
    this.#transport.setTimeout(() => {
      this.#isDelayed = false;
      this.#sendNext();
    }, ms);
  }
}
