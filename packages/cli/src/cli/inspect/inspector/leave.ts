import { setTimeout as sleep } from 'node:timers/promises';

import { listeningOf } from '../process/sockets.js';
import { ConnectionClosed, type InspectorClient, NoAnswer } from './inspector-client.js';
import { enterExpression, leaveExpression } from './inspector-use.js';
import type { OpenInspector } from './open-inspector.js';
import { evaluation } from './snapshot.js';
import type { MainThread } from './stop-and-ask.js';

const ANSWER_TIMEOUT_MS = 500;
/** How long the inspector may take to close after the session has gone, ms. */
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Called at first: if this process is killed meanwhile, the other one closes its inspector by itself. Resolves with
 * whether the inspector is to be closed in the end: it was closed before, or an earlier `loopwatch` has left it open.
 * False where the process does not answer. Not awaited before the other questions: the process evaluates it before all
 * that follows.
 */
export async function enter(
  client: InspectorClient,
  { nodeVersion, wasOpen }: OpenInspector,
  timeoutMs: number,
): Promise<boolean> {
  const parameters = evaluation(enterExpression({ onlyOpened: wasOpen }), nodeVersion);
  const answer = client.call<{ readonly result?: { readonly value?: unknown } } | undefined>(
    'Runtime.evaluate',
    parameters,
    timeoutMs,
  );
  return answer.then(
    (evaluated) => !wasOpen || evaluated?.result?.value === true,
    () => !wasOpen,
  );
}

/**
 * Arranges that the process closes its inspector when the last session has gone. Never throws. `asked`: where the process
 * refuses to evaluate anything in an interrupt, its thread is stopped for that.
 */
export async function closeLater(
  client: InspectorClient,
  { nodeVersion, wasOpen }: Pick<OpenInspector, 'nodeVersion' | 'wasOpen'>,
  asked?: MainThread,
): Promise<void> {
  const parameters = evaluation(leaveExpression({ onlyOpened: wasOpen }), nodeVersion);
  try {
    await client.call('Runtime.evaluate', parameters, ANSWER_TIMEOUT_MS);
  } catch (error) {
    // The process has ended, or executes it as soon as it can: then it is in the process's queue.
    if (!asked?.isStopped || error instanceof NoAnswer || error instanceof ConnectionClosed) return;
    await asked.evaluate(parameters).catch(() => undefined);
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
