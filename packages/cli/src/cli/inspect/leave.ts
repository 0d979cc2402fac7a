import { setTimeout as sleep } from 'node:timers/promises';

import type { InspectorClient } from './inspector-client.js';
import type { OpenInspector } from './open-inspector.js';
import { listeningOf } from './processes.js';
import { CLOSE_LATER_EXPRESSION, evaluation, guardExpression } from './snapshot.js';

const ANSWER_TIMEOUT_MS = 500;
/** How long the inspector may take to close after the session has gone, ms. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Called at first: if this process is killed meanwhile, the other one closes its inspector by itself, and removes the
 * directory of the channel.
 */
export function guard(client: InspectorClient, nodeVersion: string, channel?: string): void {
  const parameters = evaluation(guardExpression(channel), nodeVersion);
  // The answer is not needed: the process evaluates it before all that follows.
  client.call('Runtime.evaluate', parameters, ANSWER_TIMEOUT_MS).catch(() => undefined);
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
