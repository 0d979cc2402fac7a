import { getEnvironmentData } from 'node:worker_threads';

import { Asking, Header, REGISTRY_KEY } from '@loopwatch/instrumentation-event-loop/internal';

/**
 * Has the watchdog thread stop this thread for its questions from now on, in the block that lasts. By itself it would find
 * out after some seconds, and stop nothing while an inspector is open: this one is open because the CLI has opened it, and
 * closes when the loop iterates.
 */
export function askByStops(): void {
  const registry = getEnvironmentData(REGISTRY_KEY);
  if (!(registry instanceof SharedArrayBuffer)) return;
  const header = new Int32Array(registry, 0, Header.length);
  Atomics.store(header, Header.asking, Asking.byPause);
  Atomics.store(header, Header.isInspected, 0);
}
