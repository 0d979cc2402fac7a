import { setTimeout as sleep } from 'node:timers/promises';

import { readProcess } from '../process/processes.js';
import { ConnectionClosed } from './inspector-client.js';

/** How often an inspector that is just being closed is opened again, and after which time, ms. */
const MAX_TRIES = 4;
const AGAIN_MS = 50;

/**
 * Asks a process anew when its inspector is closed under the session, as long as the process runs: an earlier
 * `loopwatch`, a debugger or the program may close it at that moment.
 */
export async function askAgain<T>(pid: number, ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const isWorthwhile = error instanceof ConnectionClosed && tries < MAX_TRIES && readProcess(pid) !== undefined;
      if (!isWorthwhile) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
