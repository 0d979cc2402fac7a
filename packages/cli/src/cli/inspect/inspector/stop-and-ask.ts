import { setTimeout as sleep } from 'node:timers/promises';

import { ConnectionClosed, type InspectorClient, NoAnswer } from './inspector-client.js';

/** Evaluates in the main thread. Rejects with `NoAnswer` without an answer. */
export interface MainThread {
  evaluate(parameters: object): Promise<unknown>;
  /** Whether the thread had to be stopped for the answers. */
  readonly isStopped: boolean;
}

/** Said of a process whose main thread had to be stopped. */
export const STOPPED_TEXT =
  'V8 has answered nothing while the main thread ran: its debugger has stopped the thread for a moment at each question.';

/** How long each step of a stop may take, ms. */
const STOP_MS = 5000;
/** After this time, ms, the order to stop is repeated: V8 drops one that comes while the thread leaves the stop before. */
const AGAIN_MS = 250;
/** How long a thread that runs JavaScript may take for an answer that needs none, ms. */
const ALIVE_MS = 500;

/**
 * Asks the main thread in an interrupt and, where that has no answer, by a stop of the debugger: a later V8 may evaluate
 * nothing in an interrupt. `mayStop`: no debugger of the developers is connected, which would be shown the stop.
 *
 * The thread never stays stopped: V8 goes on when the session ends, in whatever way. It stops at no breakpoint and no
 * `debugger` statement.
 */
export function mainThread(client: InspectorClient, timeoutMs: number, mayStop: boolean): MainThread {
  let isStopped = false;
  let enabled: Promise<unknown> | undefined;
  let onPaused: (() => void) | undefined;
  client.on('Debugger.paused', () => {
    if (onPaused) onPaused();
    // A second stop: no question waits for it.
    else client.call('Debugger.resume', {}, STOP_MS).catch(() => undefined);
  });
  const stop = async (parameters: object): Promise<unknown> => {
    const paused = new Promise<true>((resolve) => {
      onPaused = () => {
        resolve(true);
      };
    });
    try {
      enabled ??= enable(client);
      await enabled;
      // Without effect where a `debugger` statement has stopped the thread before these were switched off.
      await orderUntil(paused, () => client.call('Debugger.pause', {}, STOP_MS));
      // It is stopped, and so it answers. Not on a call frame: in the scope of a function of Node.js, `process` and other
      // names are variables of its module.
      return await client.call('Runtime.evaluate', parameters, Math.max(STOP_MS, timeoutMs));
    } finally {
      onPaused = undefined;
      await client.call('Debugger.resume', {}, STOP_MS).catch(() => undefined);
    }
  };
  return {
    get isStopped() {
      return isStopped;
    },
    evaluate: async (parameters) => {
      if (isStopped) return stop(parameters);
      try {
        return await client.call('Runtime.evaluate', parameters, timeoutMs);
      } catch (error) {
        if (!mayStop || error instanceof ConnectionClosed || !(await answersWithoutJavaScript(client))) throw error;
        const answer = await stop(parameters);
        isStopped = true;
        return answer;
      }
    },
  };
}

/** A thread inside a native call answers nothing, and is not stopped: the stop would wait for the end of that call. */
async function answersWithoutJavaScript(client: InspectorClient): Promise<boolean> {
  return client.call('Runtime.getHeapUsage', {}, ALIVE_MS).then(
    () => true,
    () => false,
  );
}

async function enable(client: InspectorClient): Promise<void> {
  // Together: between the two, a `debugger` statement stops the thread.
  await Promise.all([
    client.call('Debugger.enable', { maxScriptsCacheSize: 0 }, STOP_MS),
    client.call('Debugger.setBreakpointsActive', { active: false }, STOP_MS),
  ]);
}

/** Gives the order again and again until it is followed. */
async function orderUntil(followed: Promise<true>, order: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + STOP_MS;
  while (performance.now() < deadline) {
    await order();
    if (await Promise.race([followed, sleep(AGAIN_MS, undefined, { ref: false })])) return;
  }
  throw new NoAnswer(`The thread has not stopped within ${STOP_MS} ms.`);
}
