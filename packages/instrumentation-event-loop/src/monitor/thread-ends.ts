import { isMainThread, threadId } from 'node:worker_threads';
import { threadClock } from '../contract/clock.js';
import { attempt } from '../contract/guard.js';
import { listenToProcess } from '../contract/own-listeners.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import { prepareAbruptEnds } from './abrupt-ends.js';
import { awaitAnswers, awaitLastAnswer } from './await-answers.js';
import { awaitReports } from './await-reports.js';
import { repeatTerminations } from './repeat-termination.js';
import { prepareReplacement } from './replaced-process.js';
import { prepareSelfKill } from './self-kill.js';
import { awaitClosedSessions } from './watchdog-state.js';

/** An end that takes longer, ms, has waited for the report of a worker. */
const MIN_EXCLUDED_MS = 1;

/** What the monitor of the thread does at an end. */
export interface EndingMonitor {
  /** Reports the pending blocks, also those that workers have sent; nothing while there is no provider for them yet. */
  flushUnheld(): void;
  /** Also reports the block that lasts. */
  flushWithCurrent(): void;
  /** Reports the blocks that workers have sent. */
  receiveBlocks(): void;
  /** Reports the last block of the thread, and stops. */
  finish(): void;
  excludeSince(start: number): void;
  onError(error: unknown): void;
}

export interface ThreadEndsOptions {
  readonly registry: Registry;
  readonly slot: Slot | undefined;
  readonly monitor: EndingMonitor;
}

/**
 * Everything that is done at the end of this thread, of one of its workers or of the process: the last blocks are
 * reported, nothing holds the process up, and no thread continues. An end without a block compiles no deferred code.
 */
export class ThreadEnds {
  readonly #options: ThreadEndsOptions;
  readonly #removers: readonly (() => void)[];
  #hasEnded = false;

  constructor(options: ThreadEndsOptions) {
    this.#options = options;
    // A worker thread cannot abort or replace the process, and emits `exit` when it ends itself.
    const ofProcess = isMainThread
      ? [
          prepareSelfKill(options.registry, this.#beforeOwnEnd),
          prepareReplacement(options.registry, this.#beforeOwnEnd),
          prepareAbruptEnds(this.#onExit),
        ]
      : [];
    this.#removers = [
      listenToProcess('exit', this.#onExit),
      listenToProcess('beforeExit', this.#onBeforeExit),
      ...ofProcess,
      repeatTerminations(this.#beforeTermination),
    ];
  }

  close(): void {
    for (let i = 0; i < this.#removers.length; i++) attempt(this.#removers[i]!);
    this.#release();
  }

  #release(): void {
    const { registry, slot } = this.#options;
    if (slot) registry.release(slot, threadId);
  }

  readonly #onBeforeExit = (): void => {
    this.#guarded(({ monitor }) => {
      monitor.flushUnheld();
    });
  };

  /** Called before a worker is terminated. */
  readonly #beforeTermination = (workerId: number): void => {
    this.#guarded(() => {
      this.#awaitReports(workerId);
    });
  };

  /** Called before a signal of its own, or `execve`, ends the process, which may still survive it. */
  readonly #beforeOwnEnd = (): void => {
    this.#guarded(({ monitor }) => {
      monitor.flushWithCurrent();
      this.#awaitReports();
      monitor.receiveBlocks();
    });
  };

  /** The thread may go on: this wait is not the application's work. */
  #awaitReports(workerId?: number): void {
    const { registry, monitor } = this.#options;
    const start = threadClock.now();
    awaitReports(registry, workerId);
    if (workerId !== undefined) awaitLastAnswer(registry, workerId);
    if (threadClock.now() - start > MIN_EXCLUDED_MS) monitor.excludeSince(start);
  }

  readonly #onExit = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Each for itself: a report that fails must not leave a session open, which would hold up the exit.
    this.#guarded(({ monitor }) => {
      monitor.finish();
    });
    if (isMainThread) {
      this.#guarded(({ registry, monitor }) => {
        awaitReports(registry);
        monitor.receiveBlocks();
      });
      this.#guarded(({ registry }) => {
        awaitClosedSessions(registry);
        awaitAnswers(registry);
      });
    }
    this.#guarded(() => {
      this.#release();
    });
  };

  /** Calls `work`. An error must not change how the application ends. */
  #guarded(work: (options: ThreadEndsOptions) => void): void {
    try {
      work(this.#options);
    } catch (error) {
      this.#options.monitor.onError(error);
    }
  }
}
