import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import type { ThreadPoolMessage } from '@loopwatch/instrumentation-event-loop';

import type { PoolWait } from '../../model/delays/thread-pool.js';
import { Math } from '../built-ins.js';
import { guarded } from '../guard.js';

const CHANNEL = 'loopwatch:thread-pool';

/** Calls `write` with each long wait for libuv's thread pool, until the function that it returns is called. */
export function watchThreadPool(instance: string, write: (wait: PoolWait) => void): () => void {
  const onMessage = guarded((message: unknown): void => {
    const { startEpochMs, durationMs, hasEnded, ...known } = message as ThreadPoolMessage;
    write({
      instance,
      startMs: Math.round(startEpochMs),
      durationMs: Math.round(durationMs),
      ended: hasEnded,
      ...known,
    });
  });
  subscribe(CHANNEL, onMessage);
  return () => {
    unsubscribe(CHANNEL, onMessage);
  };
}
