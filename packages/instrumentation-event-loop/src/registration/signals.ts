import { createRequire } from 'node:module';
import { constants } from 'node:os';
import process from 'node:process';
import timers from 'node:timers';
import type Tty from 'node:tty';
import { runInRootContext } from '../detection/root-timers.js';
import { HeldSignals } from './held-signals.js';
import { LAST_EXPORT_LIMIT_MS } from './natural-end.js';
import { SignalInterceptor, type SignalEvent } from './signal-interceptor.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** How long an export may delay the application's own signal listeners, in ms. Process managers wait 1.6 s and more. */
const LIMIT_BEFORE_LISTENERS_MS = 500;

export interface SignalFlushes {
  /** Exports what is there: the application handles the signal itself. */
  readonly flush: () => Promise<void>;
  /** Exports what is there for the last time: the signal ends the process. */
  readonly shutdown: () => Promise<void>;
}

/**
 * Exports before the application gets SIGTERM or SIGINT, or before they end the process. What follows is as without this
 * function: the application's listeners are called, or without listeners the signal ends the process. Returns a function
 * that undoes all.
 */
export function flushBeforeSignals({ flush, shutdown }: SignalFlushes): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the caller's own `this`
  const originalKill = process.kill;
  let isDelivering = false;

  const held = new HeldSignals({
    flush: (signal) => (hasListeners(signal) ? flush : shutdown)().catch(() => undefined),
    limitMs: (signal) => (hasListeners(signal) ? LIMIT_BEFORE_LISTENERS_MS : LAST_EXPORT_LIMIT_MS),
    deliver: (events) => {
      isDelivering = true;
      try {
        events.forEach(deliver);
      } finally {
        isDelivering = false;
        startAll();
      }
    },
    now: () => performance.now(),
    timers: heldTimers,
  });
  const interceptors = new Map<string, SignalInterceptor>(
    SIGNALS.map((signal) => [
      signal,
      new SignalInterceptor(signal, (event) => {
        held.add(event);
      }),
    ]),
  );
  const startAll = (): void => {
    for (const interceptor of interceptors.values()) interceptor.start();
  };

  function deliver(event: SignalEvent): void {
    const [signal] = event;
    if (hasListeners(signal)) {
      (process.emit as (...args: unknown[]) => boolean).call(process, ...event);
      return;
    }
    interceptors.get(signal)?.stop();
    restoreTerminal();
    Reflect.apply(originalKill, process, [process.pid, signal]);
  }

  function onListenerRemoved(signal: string): void {
    const interceptor = interceptors.get(signal);
    if (!interceptor || hasListeners(signal)) return;
    interceptor.handleClosed();
    // While the application handles a signal, the next one has its default effect at once.
    if (!isDelivering) interceptor.start();
  }

  /** A process that sends a signal without listeners to itself expects that the next statement does not run. */
  const kill: typeof process.kill = function kill(this: unknown, pid, signal = 'SIGTERM') {
    const name = nameOfSignal(signal);
    if (pid === process.pid && !hasListeners(name)) interceptors.get(name)?.stop();
    try {
      return Reflect.apply(originalKill, this, [pid, signal]);
    } finally {
      startAll();
    }
  };

  process.kill = kill;
  process.on('removeListener', onListenerRemoved);
  startAll();
  return () => {
    if (process.kill === kill) process.kill = originalKill;
    process.off('removeListener', onListenerRemoved);
    for (const interceptor of interceptors.values()) interceptor.stop();
  };
}

/** Not unref'd: while it holds a signal that ends it, the process must not end in another way. */
const heldTimers = {
  setTimeout: (callback: () => void, ms: number): NodeJS.Timeout =>
    runInRootContext(() => timers.setTimeout(callback, ms)),
  clearTimeout: (timeout: NodeJS.Timeout | undefined): void => {
    timers.clearTimeout(timeout);
  },
};

function hasListeners(signal: string): boolean {
  return process.listenerCount(signal) > 0;
}

function nameOfSignal(signal: string | number): string {
  if (typeof signal === 'string') return signal;
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? '';
}

/** As Node does before a signal without listeners ends the process. Loads `node:tty`, and `node:net` with it, only then. */
function restoreTerminal(): void {
  const tty = createRequire(process.execPath)('node:tty') as typeof Tty;
  if (tty.isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
}
