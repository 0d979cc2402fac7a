import { attempt, drop } from '../contract/guard.js';
import { afterRunning, type RunningLimitOptions } from './running-limit.js';
import type { SignalEvent } from './signal-interceptor.js';

/** Signals that arrive closer together, in ms, are one: a terminal and npm both send SIGINT for one Ctrl-C. */
const SAME_SIGNAL_MS = 200;

export interface HeldSignalsOptions extends RunningLimitOptions {
  /** Exports what is there. Does not reject. */
  readonly flush: (signal: NodeJS.Signals) => Promise<void>;
  /** How long a signal may be held, in ms in which the process can run. */
  readonly limitMs: (signal: NodeJS.Signals) => number;
  /** Gives the signals to the application, in their order. */
  readonly deliver: (events: readonly SignalEvent[]) => void;
}

/** Holds a signal until the telemetry is exported. A second signal ends the wait. */
export class HeldSignals {
  readonly #options: HeldSignalsOptions;
  #events: SignalEvent[] = [];
  #heldSince = 0;
  #cancel: (() => void) | undefined;

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
    // What a listener of the application throws must become an uncaught exception, as alone.
    this.#cancel = afterRunning(limitMs(signal), this.#deliver, this.#options);
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

  #deliverSoon(): void {
    const { timers } = this.#options;
    this.#cancel?.();
    const timeout = timers.setTimeout(this.#deliver, 0);
    this.#cancel = () => {
      timers.clearTimeout(timeout);
    };
  }

  readonly #deliver = (): void => {
    this.#cancel?.();
    this.#cancel = undefined;
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) this.#options.deliver(events);
  };
}
