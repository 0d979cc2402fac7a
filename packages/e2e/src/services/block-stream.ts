import { setTimeout as sleep } from 'node:timers/promises';

import type { SyntheticService } from './synthetic-service.ts';

export interface AcceptedBlock {
  readonly traceId: string;
  readonly spanId: string;
  readonly acceptedAtMs: number;
}

/**
 * Sends a blocked request every 100 ms and records which ones the collector accepts. It does not resend a refused one.
 */
export class BlockStream {
  readonly accepted: AcceptedBlock[] = [];
  refusedCount = 0;
  readonly #service: SyntheticService;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(service: SyntheticService) {
    this.#service = service;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const ids = await this.#service.sendBlockedRequest({ seconds: 0.2, functionName: 'duringFault' });
        this.accepted.push({ ...ids, acceptedAtMs: Date.now() });
      } catch {
        this.refusedCount++;
      }
      await sleep(100);
    }
  }
}
