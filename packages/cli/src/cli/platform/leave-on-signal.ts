import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** For how long a signal may be held back, ms. */
const LIMIT_MS = 1000;

/**
 * Calls `leave` before a signal ends this process, which then takes effect: as in a program without listeners, but nothing
 * is left behind. A second signal does not wait. Returns a function that stops it.
 */
export function leaveOnSignal(leave: () => unknown): () => void {
  const stop = (): void => {
    for (const signal of ENDING) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    stop();
    void Promise.race([left(leave), sleep(LIMIT_MS)]).then(() => process.kill(process.pid, signal));
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  return stop;
}

/** Never rejects. */
async function left(leave: () => unknown): Promise<void> {
  try {
    await leave();
  } catch {
    // The signal ends this process all the same.
  }
}
