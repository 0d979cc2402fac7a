import { Worker } from 'node:worker_threads';

const HEARTBEAT_WORKER = new URL('./heartbeat-worker.mjs', import.meta.url);

/** Enough to see the count rise. Each thread costs tens of MB, because it starts its own OpenTelemetry SDK. */
export const MAX_HEARTBEAT_THREADS = 16;

/** The limit of heartbeat threads is reached. */
export class TooManyThreadsError extends Error {
  override readonly name = 'TooManyThreadsError';
  readonly code = 'TOO_MANY_THREADS';
  readonly statusCode = 429;

  constructor() {
    super(`Expected fewer than ${MAX_HEARTBEAT_THREADS} heartbeat threads. Restart the service to end them.`);
  }
}

/** A member of a group of queue consumers. A worker thread sends its heartbeat, so that slow work does not stop it. */
export class ConsumerGroup {
  readonly #threads = new Set<Worker>();
  #generation = 0;
  #lastHeartbeatAt: number | undefined;

  get state(): { generation: number; lastHeartbeatAt: number | undefined } {
    return { generation: this.#generation, lastHeartbeatAt: this.#lastHeartbeatAt };
  }

  /** Joins the group again with a new heartbeat thread. The thread of the former generation keeps running. */
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

  /** The fixed variant: first ends the threads of the former generations. */
  async rebalanceCleanly(): Promise<number> {
    await this.close();
    return this.rebalance();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }
}
