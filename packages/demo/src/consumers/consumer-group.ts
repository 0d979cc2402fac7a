import { Worker } from 'node:worker_threads';

const HEARTBEAT_WORKER = new URL('./heartbeat-worker.mjs', import.meta.url);

/** Enough to see the climb; each costs tens of MB, because each has an OpenTelemetry SDK of its own. */
export const MAX_HEARTBEAT_THREADS = 16;

/** Too many threads were left behind to start another one. */
export class TooManyThreadsError extends Error {
  override readonly name = 'TooManyThreadsError';
  readonly code = 'TOO_MANY_THREADS';
  readonly statusCode = 429;

  constructor() {
    super(`Expected fewer than ${MAX_HEARTBEAT_THREADS} heartbeat threads. Restart the service to be rid of them.`);
  }
}

/** A member of a group of queue consumers. Its heartbeat is sent by a thread, so that slow work does not stop it. */
export class ConsumerGroup {
  readonly #threads = new Set<Worker>();
  #generation = 0;
  #lastHeartbeatAt: number | undefined;

  get state(): { generation: number; lastHeartbeatAt: number | undefined } {
    return { generation: this.#generation, lastHeartbeatAt: this.#lastHeartbeatAt };
  }

  /** Joins the group anew, with a heartbeat of the new generation. */
  rebalance(): number {
    if (this.#threads.size >= MAX_HEARTBEAT_THREADS) throw new TooManyThreadsError();
    const generation = ++this.#generation;
    const thread = new Worker(HEARTBEAT_WORKER, { name: 'consumer-heartbeat', workerData: { generation } });
    this.#threads.add(thread);
    thread.on('message', (beat: { generation: number }) => {
      if (beat.generation === this.#generation) this.#lastHeartbeatAt = Date.now();
    });
    thread.on('error', (error) => {
      console.error(`The heartbeat of generation ${generation} failed: ${String(error)}`);
    });
    thread.on('exit', () => this.#threads.delete(thread));
    return generation;
  }

  /** The same, after the heartbeat of the former generation has ended. */
  async rebalanceCleanly(): Promise<number> {
    await this.close();
    return this.rebalance();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }
}
