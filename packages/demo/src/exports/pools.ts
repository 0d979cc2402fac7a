import { Piscina } from 'piscina';
import { Piscina as Piscina4 } from 'piscina-4';

import type { ExportResult, ExportTask } from './export-run.js';

export type PiscinaMajor = '4' | '5';
export type ExportFunction = 'exportRun' | 'exportRunCompletely';

/** The part of the pool that both majors of Piscina share. */
interface Pool {
  run(task: ExportTask, options: { name: ExportFunction }): Promise<ExportResult>;
  destroy(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

// One thread that never ends, as on a small installation.
const OPTIONS = {
  filename: new URL('./export-worker.mjs', import.meta.url).href,
  minThreads: 1,
  maxThreads: 1,
};

/** Pools of worker threads for exports. Each is created when it is first used. */
export class ExportPools {
  readonly #pools = new Map<PiscinaMajor, Pool>();

  run(major: PiscinaMajor, name: ExportFunction, task: ExportTask): Promise<ExportResult> {
    let pool = this.#pools.get(major);
    if (pool === undefined) {
      pool = major === '4' ? new Piscina4(OPTIONS) : new Piscina(OPTIONS);
      // Without a listener, a thread that fails between two tasks would end the service. Piscina replaces the thread.
      pool.on('error', (error) => {
        console.error(`A thread of the export pool failed: ${String(error)}`);
      });
      this.#pools.set(major, pool);
    }
    return pool.run(task, { name });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }
}
