import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { BroadcastChannel, getEnvironmentData } from 'node:worker_threads';

import { REGISTRY_KEY } from '@loopwatch/instrumentation-event-loop/internal';

import { agentExpression } from '../../channel/agent-expression.js';
import type { AttachWorkerOptions, WorkerCount } from '../../channel/contract.js';
import { guarded } from '../guard.js';
import { unrefHandle, unrefTimer } from '../unref.js';
import { ATTACHED } from './attached-thread.js';
import { registryChannel } from './registry-handover.js';
import { createTaskQueue } from './task-queue.js';
import { openSession } from './worker-session.js';

/*
 * The main thread attaches the worker threads of its process: those that run already, and each that starts later. It
 * reaches them by an inspector session within the process, which opens no port.
 */

interface AttachedWorkers {
  readonly count: WorkerCount;
  /** Has all worker threads remove what was added to them, and calls `onEnd` when all have, or after a second. */
  end(onEnd: (haveAll: boolean) => void): void;
}

interface WorkerObserver {
  /** Those that ran before are watched, as far as they can be. */
  onReady(): void;
  onProblem(threadId: number, problem: string): void;
}

interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: string; readonly url?: string };
}

interface MessageFromWorker {
  readonly sessionId: string;
  readonly message: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown; readonly description?: string } };
}

interface WorkerThread {
  readonly threadId: number;
  /** The agent is or will be evaluated there, so that there is something to remove in the end. */
  hasAgent: boolean;
  isWatched: boolean;
  /** Lets the next worker thread evaluate the agent. */
  onSettled?: () => void;
  /** How often it was found starting. */
  startingCount: number;
}

/** After Node.js has been asked for the running workers, it names them one after the other. */
const FIRST_WORKERS_MS = 150;
/** A worker that does not answer is inside a call that V8 cannot interrupt. The process is ready without it. */
const READY_TIMEOUT_MS = 5000;
/** For how long one worker that evaluates the agent keeps the next from it. */
const LOAD_TIMEOUT_MS = 300;
const END_TIMEOUT_MS = 1000;
/** A worker thread that has not read its `workerData` yet is asked again, this often at most. */
const STARTING_AGAIN_MS = 20;
const MAX_STARTING = 250;

/** The script of a thread of Node.js itself: the one of `module.register()` runs no event loop, and never gets ready. */
const OWN_SCRIPT = 'node:internal/';

const LOAD = `const load = process.getBuiltinModule ?? require;`;
/** The agent needs up to 2 MB of the heap of its thread, for which a program can set a limit. */
const MIN_HEAP_MB = 4;
const STATE_EXPRESSION = `(() => {
  ${LOAD}
  const { parentPort, workerData, resourceLimits } = load('node:worker_threads');
  if (!parentPort) return 'starting';
  if (workerData?.registryBuffer instanceof SharedArrayBuffer) return 'watchdog';
  const leftMb = resourceLimits.maxOldGenerationSizeMb - process.memoryUsage().heapUsed / 2 ** 20;
  return leftMb < ${MIN_HEAP_MB} ? 'its heap is nearly full, and would overflow' : 'ready';
})()`;
const THREAD = `globalThis[Symbol.for(${JSON.stringify(ATTACHED)})]`;

export function attachWorkers(options: AttachWorkerOptions, source: string, observer: WorkerObserver): AttachedWorkers {
  const workers = new Map<string, WorkerThread>();
  const callbacks = new Map<number, (answer: unknown) => void>();
  /** Workers that are being attached. */
  const pending = new Set<string>();
  let lastId = 0;
  let isEnding = false;
  const session = openSession();
  const registry = getEnvironmentData(REGISTRY_KEY);
  const handover = new BroadcastChannel(registryChannel(options.port));
  unrefHandle(handover);
  // All at once, dozens of worker threads would take the CPUs from the program, and block this thread with the text.
  const oneByOne = createTaskQueue(LOAD_TIMEOUT_MS);
  const expression = agentExpression(source, 'startInWorker', { ...options, isBlocked: false, answersAtStops: false });

  const evaluate = (sessionId: string, expression: string, callback: (answer: unknown) => void): void => {
    const id = ++lastId;
    callbacks.set(id, callback);
    const params = {
      expression,
      returnByValue: true,
      silent: true,
      disableBreaks: true,
      includeCommandLineAPI: !('getBuiltinModule' in process),
    };
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => {
      if (error) callbacks.delete(id); // the thread has ended
    });
  };

  /** Calls itself by a timer: the session calls inside code of the program, which it interrupts at any point. */
  const later = (ms: number, callback: () => void): NodeJS.Timeout => unrefTimer(setTimeout(guarded(callback), ms));

  const attach = (sessionId: string, worker: WorkerThread): void => {
    if (isEnding || !workers.has(sessionId)) return;
    evaluate(sessionId, STATE_EXPRESSION, (state) => {
      if (state === 'starting' && ++worker.startingCount < MAX_STARTING) {
        later(STARTING_AGAIN_MS, () => {
          attach(sessionId, worker);
        });
      } else if (state === 'ready') {
        oneByOne((done) => {
          worker.onSettled = done;
          load(sessionId, worker);
        });
      } else settle(sessionId, worker, state === 'watchdog' || state === 'starting' ? undefined : String(state));
    });
  };

  const load = (sessionId: string, worker: WorkerThread): void => {
    if (isEnding) return;
    worker.hasAgent = true;
    evaluate(sessionId, expression, (answer) => {
      if (isEnding) return; // its end is on the way
      if (answer !== true) {
        worker.hasAgent = false;
        settle(sessionId, worker, String(answer));
        return;
      }
      // Twice: the thread may be interrupted while it hands the first message over, which is in no queue then.
      for (let count = 0; count < 2; count++) handover.postMessage(registry);
      worker.isWatched = true;
      evaluate(sessionId, `${THREAD}.begin()`, (problem) => {
        settle(sessionId, worker, typeof problem === 'string' ? problem : undefined);
      });
    });
  };

  const settle = (sessionId: string, { threadId, onSettled }: WorkerThread, problem: string | undefined): void => {
    pending.delete(sessionId);
    onSettled?.();
    if (problem !== undefined) observer.onProblem(threadId, problem);
  };

  session.onEvent('NodeWorker.attachedToWorker', ({ params }) => {
    const { sessionId, workerInfo } = params as AttachedToWorker;
    if (workerInfo.url?.startsWith(OWN_SCRIPT)) return;
    const worker = {
      threadId: Number(/\d+/.exec(workerInfo.title)?.[0]),
      hasAgent: false,
      isWatched: false,
      startingCount: 0,
    };
    workers.set(sessionId, worker);
    pending.add(sessionId);
    later(0, () => {
      attach(sessionId, worker);
    });
  });
  session.onEvent('NodeWorker.detachedFromWorker', ({ params }) => {
    const { sessionId } = params as { readonly sessionId: string };
    workers.delete(sessionId);
    pending.delete(sessionId);
  });
  session.onEvent('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { message } = params as MessageFromWorker;
    const { id = 0, result } = JSON.parse(message) as Answer;
    const callback = callbacks.get(id);
    callbacks.delete(id);
    callback?.(result?.result?.value ?? result?.result?.description);
  });

  let readyTimer: NodeJS.Timeout | undefined;
  const waitForWorkers = (waitedMs: number): void => {
    readyTimer = later(STARTING_AGAIN_MS, () => {
      if (pending.size > 0 && waitedMs < READY_TIMEOUT_MS) waitForWorkers(waitedMs + STARTING_AGAIN_MS);
      else observer.onReady();
    });
  };
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
    readyTimer = later(FIRST_WORKERS_MS, () => {
      waitForWorkers(0);
    });
  });

  return {
    get count() {
      return { workers: [...workers.values()].filter(({ isWatched }) => isWatched).length, pending: pending.size };
    },
    end: (onEnd) => {
      isEnding = true;
      clearTimeout(readyTimer);
      handover.close();
      const remaining = new Set([...workers].filter(([, { hasAgent }]) => hasAgent).map(([sessionId]) => sessionId));
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(timer);
        session.disconnect();
        // One that has exited is not among them any more.
        onEnd(![...remaining].some((sessionId) => workers.has(sessionId)));
      };
      if (remaining.size === 0) {
        finish();
        return;
      }
      timer = later(END_TIMEOUT_MS, finish);
      for (const sessionId of remaining) {
        evaluate(sessionId, `${THREAD}?.end()`, () => {
          remaining.delete(sessionId);
          if (remaining.size > 0) return;
          clearTimeout(timer);
          timer = later(0, finish);
        });
      }
    },
  };
}
