import { setTimeout as sleep } from 'node:timers/promises';

import * as semconv from '@loopwatch/instrumentation-event-loop/semconv';

import type { Jaeger } from '../backends/jaeger.ts';
import type { Prometheus } from '../backends/prometheus.ts';
import { BlockStream, type AcceptedBlock } from './block-stream.ts';
import type { SyntheticService } from './synthetic-service.ts';

/** How many of the accepted ones are not in the backends. */
export interface Missing {
  readonly blocks: number;
  readonly hangs: number;
  /** Of a gauge, which has a value of its own in each accepted export. */
  readonly points: number;
}

const SEARCH_LIMIT = 20_000;
const STEP = 1e-6;

/**
 * Sends what must survive a fault, and records what is accepted: ten blocked requests a second, and each second a hang
 * and an export of metrics. It resends nothing.
 */
export class LossStream {
  readonly name: string;
  readonly hangs: string[] = [];
  /** Numbers of the accepted exports: the gauge is so many steps. */
  readonly values: number[] = [];
  refusedHangs = 0;
  refusedExports = 0;
  readonly #service: SyntheticService;
  readonly #blocks: BlockStream;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(service: SyntheticService) {
    this.#service = service;
    this.name = service.name;
    this.#blocks = new BlockStream(service);
    this.#running = this.#run();
  }

  get blocks(): readonly AcceptedBlock[] {
    return this.#blocks.accepted;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#running, this.#blocks.stop()]);
  }

  async missingIn(jaeger: Jaeger, prometheus: Prometheus): Promise<Missing> {
    const idsOf = async (name: string) =>
      new Set((await jaeger.search(this.name, name, SEARCH_LIMIT)).map(({ spanId }) => spanId));
    const [blocks, hangs] = [await idsOf('event-loop-blocked'), await idsOf('event-loop-hang')];
    const stored = await prometheus.valuesOf(`event_loop_utilization_ratio{service_name="${this.name}"}`, '1h');
    const values = new Set(stored.map((value) => Math.round(value / STEP)));
    return {
      blocks: this.blocks.filter(({ spanId }) => !blocks.has(spanId)).length,
      hangs: this.hangs.filter((id) => !hangs.has(id)).length,
      points: this.values.filter((value) => !values.has(value)).length,
    };
  }

  /** In the form of the tables in docs/evidence/kubernetes.md. */
  describe(): string {
    return (
      `${this.name}: accepted ${this.blocks.length} blocks, ${this.hangs.length} hangs, ${this.values.length} exports; ` +
      `refused ${this.#blocks.refusedCount}, ${this.refusedHangs}, ${this.refusedExports}`
    );
  }

  async #run(): Promise<void> {
    for (let count = 1; !this.#stopping.signal.aborted; count++) {
      await this.#service.sendHang('duringFault').then(
        (id) => this.hangs.push(id),
        () => this.refusedHangs++,
      );
      await this.#service.exportMetrics({ [semconv.METRIC_EVENT_LOOP_UTILIZATION]: count * STEP }).then(
        () => this.values.push(count),
        () => this.refusedExports++,
      );
      await sleep(1000);
    }
  }
}
