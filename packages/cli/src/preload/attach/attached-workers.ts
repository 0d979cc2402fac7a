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
import { type Evaluate, evaluatorOf } from './worker-evaluation.js';
import { openSession, type Session } from './worker-session.js';

interface WorkerObserver {
  /** Those that ran before are watched, as far as they can be. */
  onReady(): void;
  onProblem(threadId: number, problem: string): void;
}

interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: string; readonly url?: string };
}

interface WorkerThread {
  readonly sessionId: string;
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

/**
 * The worker threads of this process, which its main thread attaches: those that run already, and each that starts later.
 * It reaches them by an inspector session within the process, which opens no port.
 */
export class AttachedWorkers {
  readonly #observer: WorkerObserver;
  /** By the id of its session. */
  readonly #workers = new Map<string, WorkerThread>();
  /** Workers that are being attached. */
  readonly #pending = new Set<WorkerThread>();
  readonly #session: Session = openSession();
  readonly #evaluate: Evaluate = evaluatorOf(this.#session);
  readonly #registry = getEnvironmentData(REGISTRY_KEY);
  readonly #handover: BroadcastChannel;
  // All at once, dozens of worker threads would take the CPUs from the program, and block this thread with the text.
  readonly #oneByOne = createTaskQueue(LOAD_TIMEOUT_MS);
  readonly #agent: string;
  #readyTimer: NodeJS.Timeout | undefined;
  #isEnding = false;

  /** `source` is the text of the agent. */
  constructor(options: AttachWorkerOptions, source: string, observer: WorkerObserver) {
    this.#observer = observer;
    this.#agent = agentExpression(source, 'startInWorker', { ...options, isBlocked: false, answersAtStops: false });
    this.#handover = new BroadcastChannel(registryChannel(options.port));
    unrefHandle(this.#handover);
    this.#session.onEvent('NodeWorker.attachedToWorker', ({ params }) => {
      this.#onWorker(params);
    });
    this.#session.onEvent('NodeWorker.detachedFromWorker', ({ params }) => {
      this.#onWorkerEnd(params);
    });
    this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
      this.#readyTimer = later(FIRST_WORKERS_MS, () => {
        this.#waitForWorkers(0);
      });
    });
  }

  get count(): WorkerCount {
    const watched = [...this.#workers.values()].filter(({ isWatched }) => isWatched);
    return { workers: watched.length, pending: this.#pending.size };
  }

  /** Has all worker threads remove what was added to them, and calls `onEnd` when all have, or after a second. */
  end(onEnd: (haveAll: boolean) => void): void {
    this.#isEnding = true;
    clearTimeout(this.#readyTimer);
    this.#handover.close();
    const remaining = new Set([...this.#workers.values()].filter(({ hasAgent }) => hasAgent));
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      this.#session.disconnect();
      // One that has exited is not among them any more.
      onEnd(![...remaining].some(({ sessionId }) => this.#workers.has(sessionId)));
    };
    if (remaining.size === 0) {
      finish();
      return;
    }
    timer = later(END_TIMEOUT_MS, finish);
    for (const worker of remaining) {
      this.#evaluate(worker.sessionId, `${THREAD}?.end()`, () => {
        remaining.delete(worker);
        if (remaining.size > 0) return;
        clearTimeout(timer);
        timer = later(0, finish);
      });
    }
  }

  #onWorker({ sessionId, workerInfo }: AttachedToWorker): void {
    if (workerInfo.url?.startsWith(OWN_SCRIPT)) return;
    const worker = {
      sessionId,
      threadId: Number(/\d+/.exec(workerInfo.title)?.[0]),
      hasAgent: false,
      isWatched: false,
      startingCount: 0,
    };
    this.#workers.set(sessionId, worker);
    this.#pending.add(worker);
    later(0, () => {
      this.#attach(worker);
    });
  }

  #onWorkerEnd({ sessionId }: { readonly sessionId: string }): void {
    const worker = this.#workers.get(sessionId);
    if (!worker) return;
    this.#workers.delete(sessionId);
    this.#pending.delete(worker);
  }

  #attach(worker: WorkerThread): void {
    if (this.#isEnding || !this.#workers.has(worker.sessionId)) return;
    this.#evaluate(worker.sessionId, STATE_EXPRESSION, (state) => {
      if (state === 'starting' && ++worker.startingCount < MAX_STARTING) {
        later(STARTING_AGAIN_MS, () => {
          this.#attach(worker);
        });
      } else if (state === 'ready') {
        this.#oneByOne((done) => {
          worker.onSettled = done;
          this.#load(worker);
        });
      } else this.#settle(worker, state === 'watchdog' || state === 'starting' ? undefined : String(state));
    });
  }

  #load(worker: WorkerThread): void {
    if (this.#isEnding) return;
    worker.hasAgent = true;
    this.#evaluate(worker.sessionId, this.#agent, (answer) => {
      if (this.#isEnding) return; // its end is on the way
      if (answer !== true) {
        worker.hasAgent = false;
        this.#settle(worker, String(answer));
        return;
      }
      // Twice: the thread may be interrupted while it hands the first message over, which is in no queue then.
      for (let count = 0; count < 2; count++) this.#handover.postMessage(this.#registry);
      worker.isWatched = true;
      this.#evaluate(worker.sessionId, `${THREAD}.begin()`, (problem) => {
        this.#settle(worker, typeof problem === 'string' ? problem : undefined);
      });
    });
  }

  #settle(worker: WorkerThread, problem: string | undefined): void {
    this.#pending.delete(worker);
    worker.onSettled?.();
    if (problem !== undefined) this.#observer.onProblem(worker.threadId, problem);
  }

  #waitForWorkers(waitedMs: number): void {
    this.#readyTimer = later(STARTING_AGAIN_MS, () => {
      if (this.#pending.size > 0 && waitedMs < READY_TIMEOUT_MS) this.#waitForWorkers(waitedMs + STARTING_AGAIN_MS);
      else this.#observer.onReady();
    });
  }
}

/** By a timer: the session calls inside code of the program, which it interrupts at any point. */
function later(ms: number, callback: () => void): NodeJS.Timeout {
  return unrefTimer(setTimeout(guarded(callback), ms));
}
