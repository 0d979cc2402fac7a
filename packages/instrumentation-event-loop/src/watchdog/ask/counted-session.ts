import { Session } from 'node:inspector';
import { Header } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';

/** The sessions that are open in this thread. */
const open = new Set<CountedSession>();
let onAllClosed: (() => void) | undefined;

/**
 * An inspector session with the main thread, counted in the registry. The process must not exit while one is open: it
 * would print "Waiting for the debugger to disconnect...", even when it kills itself by a signal. The session enables
 * no `Debugger` domain and opens no port.
 */
export class CountedSession {
  readonly #registry: Registry;
  readonly #session = new Session();
  readonly #onClose: () => void;

  private constructor(registry: Registry, onClose: () => void) {
    this.#registry = registry;
    this.#onClose = onClose;
  }

  /**
   * Calls `start` with the open session, and `onClose` when it is closed, whatever the reason. When the process exits
   * or the session cannot be opened, it calls `onClose` alone.
   */
  static open(registry: Registry, start: (session: CountedSession) => void, onClose: () => void): void {
    const { ints } = registry;
    const counted = new CountedSession(registry, onClose);
    // Count first, then read `exiting`. The exiting thread sets `exiting` first, then reads the count. So at least one
    // of the two sees what the other has done.
    Atomics.add(ints, Header.openSessions, 1);
    open.add(counted);
    if (Atomics.load(ints, Header.exiting) === 1) {
      counted.close();
      return;
    }
    try {
      counted.#session.connectToMainThread();
      start(counted);
    } catch {
      counted.close();
    }
  }

  /** Does nothing once the session is closed. */
  post(method: string, params: object, onReply: (error: Error | null, result?: unknown) => void): void {
    if (!this.isOpen) return;
    this.#session.post(method, params, (error, result) => {
      // Replies that were already sent when the session was closed may still arrive.
      if (this.isOpen) onReply(error, result);
    });
  }

  on(notification: string, listener: (params: unknown) => void): void {
    this.#session.on(notification, ({ params }: { params: unknown }) => {
      if (this.isOpen) listener(params);
    });
  }

  get isOpen(): boolean {
    return open.has(this);
  }

  close(): void {
    if (!open.delete(this)) return;
    try {
      this.#session.disconnect();
    } catch {
      // It was never connected, or the main thread has ended.
    }
    const { ints } = this.#registry;
    Atomics.sub(ints, Header.openSessions, 1);
    Atomics.notify(ints, Header.openSessions);
    this.#onClose();
    if (open.size === 0) onAllClosed?.();
  }
}

/** Calls back each time that the last open session has been closed. */
export function whenAllClosed(callback: () => void): void {
  onAllClosed = callback;
}

/** Whether a session is open. Its answers arrive on this thread's event loop, so the watchdog must not block it. */
export function hasOpenSession(): boolean {
  return open.size > 0;
}

/** Closes all sessions: the process exits, and must not wait for a thread that does not answer. */
export function closeSessions(): void {
  for (const session of [...open]) session.close();
}
