import { setTimeout as sleep } from 'node:timers/promises';

import type { Jaeger } from '../backends/jaeger.ts';
import {
  blockAttributes,
  newSpanId,
  newTraceId,
  SPAN_KIND_INTERNAL,
  SPAN_KIND_SERVER,
  type SyntheticService,
  type SyntheticSpan,
} from './synthetic-service.ts';

const REQUESTS = 100;
const BLOCKS = 5;
const EVERY_MS = 50;
/** About what the stacks of a block take. */
const PROFILE = 'main;handle;render '.repeat(100);

/** Up to 2,000 requests and 100 blocks a second, in requests of both, to fill queues. It resends nothing. */
export class SpanFlood {
  readonly acceptedBlocks: string[] = [];
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

  async missingBlocksIn(jaeger: Jaeger): Promise<number> {
    const stored = await jaeger.search(this.#service.name, 'event-loop-blocked', 100_000);
    const ids = new Set(stored.map(({ spanId }) => spanId));
    return this.acceptedBlocks.filter((id) => !ids.has(id)).length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const blocks = Array.from({ length: BLOCKS }, () => span('event-loop-blocked', SPAN_KIND_INTERNAL));
      const requests = Array.from({ length: REQUESTS }, () => span('GET /report', SPAN_KIND_SERVER));
      await this.#service.sendSpans([...blocks, ...requests]).then(
        () => this.acceptedBlocks.push(...blocks.map(({ spanId }) => spanId)),
        () => this.refusedCount++,
      );
      await sleep(EVERY_MS);
    }
  }
}

function span(name: string, kind: number): SyntheticSpan {
  const endTimeMs = Date.now();
  const attributes =
    kind === SPAN_KIND_INTERNAL ? { ...blockAttributes('flood'), profile: PROFILE } : { note: 'x'.repeat(200) };
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    name,
    kind,
    startTimeMs: endTimeMs - 200,
    endTimeMs,
    attributes,
  };
}
