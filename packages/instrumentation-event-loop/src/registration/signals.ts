import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import timers from 'node:timers';
import type Tty from 'node:tty';
import { Map, Reflect } from '../contract/built-ins.js';
import { attempt, drop } from '../contract/guard.js';
import { nodeModule } from '../contract/node-module.js';
import { listenToProcess, processListenerCount } from '../contract/own-listeners.js';
import { wrapFunction } from '../contract/wrap-function.js';
import { runInRootContext } from '../detection/root-timers.js';
import { HeldSignals } from './held-signals.js';
import { LAST_EXPORT_LIMIT_MS } from './natural-end.js';
import { SignalInterceptor, type SignalEvent } from './signal-interceptor.js';

const { setTimeout, clearTimeout } = timers;
const now = performance.now.bind(performance);

const { signals } = constants;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** What `process.kill` calls, by this name, once it has checked its arguments: the stacks of its errors stay as they are. */
const KILL = '_kill';
type KillById = (this: unknown, pid: number, signal: number) => number;
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
  const originalKill: unknown = Reflect.get(process, KILL);
  let isDelivering = false;

  const held = new HeldSignals({
    flush: (signal) => (hasListeners(signal) ? flush : shutdown)(),
    limitMs: (signal) => (hasListeners(signal) ? LIMIT_BEFORE_LISTENERS_MS : LAST_EXPORT_LIMIT_MS),
    deliver: (events) => {
      isDelivering = true;
      try {
        for (let i = 0; i < events.length; i++) deliver(events[i]!);
      } finally {
        isDelivering = false;
        startAll();
      }
    },
    now,
    timers: heldTimers,
  });
  const interceptors = new Map<string, SignalInterceptor>(
    SIGNALS.map((signal) => [
      signal,
      new SignalInterceptor(signal, (event) => {
        try {
          held.add(event);
        } catch (error) {
          drop(error);
          deliver(event);
        }
      }),
    ]),
  );
  const startAll = (): void => {
    interceptors.forEach((interceptor) => {
      attempt(() => interceptor.start());
    });
  };

  function deliver(event: SignalEvent): void {
    const signal = event[0];
    if (hasListeners(signal)) {
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called with `process`
      Reflect.apply(process.emit, process, event);
      return;
    }
    attempt(() => {
      interceptors.get(signal)?.stop();
    });
    attempt(restoreTerminal);
    if (typeof originalKill === 'function') Reflect.apply(originalKill, process, [process.pid, signals[signal]]);
  }

  function onListenerRemoved(signal: string): void {
    const interceptor = interceptors.get(signal);
    if (!interceptor || hasListeners(signal)) return;
    interceptor.handleClosed();
    // While the application handles a signal, the next one has its default effect at once.
    if (!isDelivering) interceptor.start();
  }

  /** A process that sends a signal without listeners to itself expects that the next statement does not run. */
  const unwrapKill = wrapFunction<KillById>(
    process,
    KILL,
    (original) =>
      function (pid, signal) {
        attempt(() => {
          const name = nameOfSignal(signal);
          if (mayBeOwnProcess(pid) && !hasListeners(name)) interceptors.get(name)?.stop();
        });
        try {
          return Reflect.apply(original, this, [pid, signal]);
        } finally {
          startAll();
        }
      },
  );
  const stopListening = listenToProcess('removeListener', onListenerRemoved);
  startAll();
  return () => {
    unwrapKill();
    stopListening();
    interceptors.forEach((interceptor) => {
      attempt(() => {
        interceptor.stop();
      });
    });
  };
}

/** Not unref'd: while it holds a signal that ends it, the process must not end in another way. */
const heldTimers = {
  setTimeout: (callback: () => void, ms: number): NodeJS.Timeout => runInRootContext(() => setTimeout(callback, ms)),
  clearTimeout,
};

function hasListeners(signal: string): boolean {
  return processListenerCount(signal) > 0;
}

/** A pid of 0 or below stands for a group of processes. */
function mayBeOwnProcess(pid: number): boolean {
  return pid === process.pid || pid <= 0;
}

function nameOfSignal(signal: number): string {
  for (let i = 0; i < SIGNALS.length; i++) if (signals[SIGNALS[i]!] === signal) return SIGNALS[i]!;
  return '';
}

/** As Node does before a signal without listeners ends the process. Loads `node:tty`, and `node:net` with it, only then. */
function restoreTerminal(): void {
  const tty = nodeModule('node:tty') as typeof Tty;
  if (tty.isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false);
}
