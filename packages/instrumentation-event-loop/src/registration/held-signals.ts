import { Math } from '../contract/built-ins.js';
import { attempt, drop } from '../contract/guard.js';
import type { SignalEvent } from './signal-interceptor.js';

/** Signals that arrive closer together, in ms, are one: a terminal and npm both send SIGINT for one Ctrl-C. */
const SAME_SIGNAL_MS = 200;
/** A limit passes in steps of this length, in ms. A step in which the process could not run counts once. */
const STEP_MS = 50;
/** A limit lasts at most this many times its length, however seldom the process runs. */
const MAX_STRETCH = 2;

export interface HeldSignalsOptions {
  /** Exports what is there. Does not reject. */
  readonly flush: (signal: NodeJS.Signals) => Promise<void>;
  /** How long a signal may be held, in ms in which the process can run; see `MAX_STRETCH`. */
  readonly limitMs: (signal: NodeJS.Signals) => number;
  /** Gives the signals to the application, in their order. */
  readonly deliver: (events: readonly SignalEvent[]) => void;
  readonly now: () => number;
  readonly timers: {
    readonly setTimeout: (callback: () => void, ms: number) => NodeJS.Timeout;
    readonly clearTimeout: (timeout: NodeJS.Timeout | undefined) => void;
  };
}

/** Holds a signal until the telemetry is exported. A second signal ends the wait. */
export class HeldSignals {
  readonly #options: HeldSignalsOptions;
  #events: SignalEvent[] = [];
  #heldSince = 0;
  #timeout: NodeJS.Timeout | undefined;

  constructor(options: HeldSignalsOptions) {
    this.#options = options;
  }

  add(event: SignalEvent): void {
    const { flush, limitMs, now } = this.#options;
    this.#events[this.#events.length] = event;
    if (this.#events.length > 1) {
      if (now() - this.#heldSince >= SAME_SIGNAL_MS) this.#deliver();
      return;
    }
    const signal = event[0];
    const events = this.#events;
    this.#heldSince = now();
    this.#wait(limitMs(signal), now() + limitMs(signal) * MAX_STRETCH);
    void this.#deliverAfter(flush, signal, events);
  }

  /** Does not reject; where it fails, the limit delivers. */
  async #deliverAfter(
    flush: HeldSignalsOptions['flush'],
    signal: NodeJS.Signals,
    events: readonly SignalEvent[],
  ): Promise<void> {
    try {
      await flush(signal);
    } catch (error) {
      drop(error);
    }
    // Not here, in a promise: an error of the application's listener must become an uncaught exception.
    if (this.#events === events) {
      attempt(() => {
        this.#deliverSoon();
      });
    }
  }

  /** Delivers after `leftMs` in which the process can run, and at `deadline` at the latest. */
  #wait(leftMs: number, deadline: number): void {
    const { now, timers } = this.#options;
    const stepMs = Math.min(STEP_MS, leftMs);
    // What a listener of the application throws must become an uncaught exception, as alone.
    // eslint-disable-next-line no-restricted-syntax -- not guarded, therefore
    this.#timeout = timers.setTimeout(() => {
      if (leftMs <= stepMs || now() >= deadline) this.#deliver();
      else this.#wait(leftMs - stepMs, deadline);
    }, stepMs);
  }

  #deliverSoon(): void {
    const { timers } = this.#options;
    timers.clearTimeout(this.#timeout);
    this.#timeout = timers.setTimeout(this.#deliver, 0);
  }

  readonly #deliver = (): void => {
    this.#options.timers.clearTimeout(this.#timeout);
    this.#timeout = undefined;
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#options.deliver(events);
  };
}
