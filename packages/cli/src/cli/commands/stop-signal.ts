import process from 'node:process';

import { endEcho } from '../terminal/stream-style.js';

/** Resolves when a signal asks this process to stop. After the `^C` of a terminal, `stream` begins a new line. */
export function stopSignal(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        if (signal === 'SIGINT') endEcho(stream);
        resolve();
      });
    }
  });
}
