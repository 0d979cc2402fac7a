import { setTimeout as sleep } from 'node:timers/promises';

import { ConnectionClosed, type InspectorClient, NoAnswer } from './inspector-client.js';

/** Evaluates in the main thread. Rejects with `NoAnswer` without an answer. */
export interface MainThread {
  evaluate(parameters: object): Promise<unknown>;
  /** Whether the thread had to be stopped for the answers. */
  readonly isStopped: boolean;
}

/** How long each step of a stop may take, ms. */
const STOP_MS = 2000;
/** How long a thread that runs JavaScript may take for an answer that needs none, ms. */
const ALIVE_MS = 500;

interface Paused {
  readonly callFrames: readonly { readonly callFrameId: string; readonly url: string }[];
}

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
  let onPaused: ((paused: Paused) => void) | undefined;
  client.on('Debugger.paused', (params) => {
    if (onPaused) onPaused(params as Paused);
    // A second stop: no question waits for it.
    else client.call('Debugger.resume', {}, STOP_MS).catch(() => undefined);
  });
  const stop = async (parameters: object): Promise<unknown> => {
    const paused = new Promise<Paused>((resolve) => {
      onPaused = resolve;
    });
    try {
      enabled ??= enable(client);
      await enabled;
      // Without effect where a `debugger` statement has stopped the thread before these were switched off.
      await client.call('Debugger.pause', {}, STOP_MS);
      const { callFrames } = await within(paused, STOP_MS);
      // In the scope of a function of Node.js, other names stand for other things.
      const frame = callFrames.find(({ url }) => !url.startsWith('node:')) ?? callFrames[0];
      const { disableBreaks: _, ...rest } = parameters as { readonly disableBreaks?: boolean };
      if (!frame) throw new NoAnswer('The thread has stopped outside of JavaScript.');
      return await client.call('Debugger.evaluateOnCallFrame', { ...rest, callFrameId: frame.callFrameId }, STOP_MS);
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

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const result = await Promise.race([promise, sleep(ms, undefined, { ref: false })]);
  if (result === undefined) throw new NoAnswer(`The thread has not stopped within ${ms} ms.`);
  return result;
}
