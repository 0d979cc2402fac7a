import process from 'node:process';
import { Reflect } from '../contract/built-ins.js';
import { processListenerCount } from '../contract/own-listeners.js';

const rawListeners = process.rawListeners.bind(process);

/** What Node passes to `process.emit` when a signal arrives: the event, the signal's name and its number. */
export type SignalEvent = readonly [signal: NodeJS.Signals, ...args: unknown[]];

type SignalListener = (signal: string) => void;

/** Taken when this module loads: `process.removeAllListeners()` removes them, too. */
const startListening = nodeListener('newListener', 'startListeningIfSignal');
const stopListening = nodeListener('removeListener', 'stopListeningIfSignal');

/**
 * Receives a signal in place of `process.emit`, invisibly: `process.listeners()` and `listenerCount()` show only the
 * application's listeners. A listener of ours would change what others do: `signal-exit` leaves the end of the process
 * to the other listeners as soon as it counts one that is not its own.
 *
 * Node keeps one handle per signal, which it creates with the first listener and closes with the last. The handle calls
 * the `process.emit` of the moment in which it was created.
 */
export class SignalInterceptor {
  readonly #signal: NodeJS.Signals;
  readonly #receive: (event: SignalEvent) => void;
  #isActive = false;

  constructor(signal: NodeJS.Signals, receive: (event: SignalEvent) => void) {
    this.#signal = signal;
    this.#receive = receive;
  }

  /** Whether signals go to `receive`. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Takes over the signal; false where this Node does it in another way. Idempotent. */
  start(): boolean {
    if (this.#isActive) return true;
    const receive = this.#receive;
    this.#isActive = recreateHandle(this.#signal, (...event) => {
      receive(event as unknown as SignalEvent);
      return true;
    });
    return this.#isActive;
  }

  /** Gives the signal back to the application's listeners; without listeners, to the operating system's default. */
  stop(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    if (processListenerCount(this.#signal) > 0) recreateHandle(this.#signal, undefined);
    else stopListening?.(this.#signal);
  }

  /** To be called when the last listener has been removed: Node has then closed the handle. */
  handleClosed(): void {
    this.#isActive = false;
  }
}

/** Creates the signal's handle again, which then calls `emit` instead of `process.emit`. */
function recreateHandle(signal: NodeJS.Signals, emit: ((...event: unknown[]) => boolean) | undefined): boolean {
  if (!startListening || !stopListening) return false;
  let isTaken = emit === undefined;
  withProperty('listenerCount', { value: () => 0 }, () => {
    stopListening(signal);
  });
  if (emit === undefined) startListening(signal);
  else {
    const get = (): typeof emit => {
      isTaken = true;
      return emit;
    };
    withProperty('emit', { get }, () => {
      startListening(signal);
    });
  }
  return isTaken;
}

/** The listener of `process` with which Node itself starts or stops the delivery of signals. */
function nodeListener(event: string, name: string): SignalListener | undefined {
  const listeners = rawListeners(event);
  for (let i = 0; i < listeners.length; i++) if (listeners[i]!.name === name) return listeners[i] as SignalListener;
  return undefined;
}

/** Runs a function while `process` has another property of this name. */
function withProperty(name: 'emit' | 'listenerCount', property: PropertyDescriptor, run: () => void): void {
  const own = Reflect.getOwnPropertyDescriptor(process, name);
  // Not on a frozen `process`: the signal keeps its effect.
  if (!Reflect.defineProperty(process, name, { ...property, configurable: true })) return;
  try {
    run();
  } finally {
    if (own) Reflect.defineProperty(process, name, own);
    else Reflect.deleteProperty(process, name);
  }
}
