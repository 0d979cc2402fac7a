import { setTimeout as sleep } from 'node:timers/promises';

import type { InspectorClient } from './inspector-client.js';
import type { OpenInspector } from './open-inspector.js';
import { listeningOf } from './processes.js';
import { CLOSE_LATER_EXPRESSION, evaluation, GUARD_EXPRESSION } from './snapshot.js';

const ANSWER_TIMEOUT_MS = 500;
/** How long the inspector may take to close after the session has gone. */
const CLOSE_TIMEOUT_MS = 1000;

/** Called at first: the process closes its inspector by itself if this process is killed meanwhile. */
export function guard(client: InspectorClient, nodeVersion: string): void {
  // The answer is not needed: the process evaluates it before all that follows.
  client.call('Runtime.evaluate', evaluation(GUARD_EXPRESSION, nodeVersion), ANSWER_TIMEOUT_MS).catch(() => undefined);
}

/** Arranges that the process closes its inspector when the session has gone. Never throws. */
export async function closeLater(client: InspectorClient, nodeVersion: string): Promise<void> {
  try {
    await client.call('Runtime.evaluate', evaluation(CLOSE_LATER_EXPRESSION, nodeVersion), ANSWER_TIMEOUT_MS);
  } catch {
    // The process has ended, or executes it as soon as it can: then it is in the process's queue.
  }
}

/** Whether the inspector is closed, after waiting for that. */
export async function isClosed(pid: number, { address }: OpenInspector): Promise<boolean> {
  const deadline = performance.now() + CLOSE_TIMEOUT_MS;
  while (listeningOf(pid).some(({ inode }) => inode === address.inode)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
