import process from 'node:process';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** How long the last export may delay the end of the process, in ms. */
const TIMEOUT_MS = 5000;

/**
 * Flushes before SIGTERM or SIGINT ends the process. The outcome does not change: without other listeners the signal
 * still ends the process, and with listeners of the application it is up to them. Returns a function that removes the
 * listeners.
 */
export function flushOnSignals(flush: () => Promise<void>): () => void {
  const listeners = SIGNALS.map((signal) => {
    const onSignal = (): void => {
      const isOnlyListener = process.listenerCount(signal) === 1;
      process.off(signal, onSignal);
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, TIMEOUT_MS).unref());
      void Promise.race([flush().catch(() => undefined), timeout]).then(() => {
        if (isOnlyListener) process.kill(process.pid, signal);
      });
    };
    process.on(signal, onSignal);
    return { signal, onSignal };
  });
  return () => {
    for (const { signal, onSignal } of listeners) process.off(signal, onSignal);
  };
}
