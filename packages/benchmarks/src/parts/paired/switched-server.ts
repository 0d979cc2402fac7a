import type { Server } from '../../catalogue.ts';
import { Subject } from '../../subject/subject.ts';
import type { Platform } from '../../subject/subject.ts';
import { BatchClient } from './batch-client.ts';
import { trimmedMean } from './batch-cost.ts';
import type { BatchCost } from './batch-cost.ts';

interface Cpu {
  readonly cpuMicroseconds: number;
  readonly failures: number;
}

/** A server process with the SDK and Loopwatch, whose instrumentation can be switched on and off while it serves. */
export class SwitchedServer {
  readonly #subject: Subject;
  readonly #client: BatchClient;
  readonly #batchRequests: number;
  #batchCosts: number[] = [];
  #totalBefore = 0;
  #threadsWhenOff: number | undefined;

  private constructor(subject: Subject, client: BatchClient, batchRequests: number) {
    this.#subject = subject;
    this.#client = client;
    this.#batchRequests = batchRequests;
  }

  static async start(
    platform: Platform,
    server: Server,
    timeoutMs: number,
    cpu: number | undefined,
  ): Promise<SwitchedServer> {
    const subject = new Subject(platform, {
      program: 'server.cjs',
      args: ['loopwatch', server.name],
      flags: ['--expose-gc'],
      timeoutMs,
      ...(cpu !== undefined && { cpu }),
    });
    const { port } = await subject.nextMessage<{ readonly port: number }>();
    return new SwitchedServer(subject, new BatchClient(port), server.batchRequests);
  }

  async switch(isOn: boolean): Promise<void> {
    await this.#client.ask(isOn ? '/bench/on' : '/bench/off');
  }

  /** Records the number of threads; to be called after enough load with the instrumentation off. */
  async recordThreadsWhenOff(): Promise<void> {
    this.#threadsWhenOff = await this.#threads();
  }

  /** Whether the number of threads matches the state; undefined where the system does not report it. */
  async isSettled(isOn: boolean): Promise<boolean | undefined> {
    const threads = await this.#threads();
    if (threads === undefined || this.#threadsWhenOff === undefined) return undefined;
    return threads > this.#threadsWhenOff === isOn;
  }

  async startCounting(): Promise<void> {
    this.#totalBefore = (await this.#cpu()).cpuMicroseconds;
    this.#batchCosts = [];
  }

  async serveBatch(): Promise<void> {
    const before = await this.#cpu();
    await this.#client.sendBatch(this.#batchRequests);
    const after = await this.#cpu();
    this.#batchCosts.push(after.cpuMicroseconds - before.cpuMicroseconds);
    if (after.failures > 0) throw new Error(`Expected no failed request, got ${after.failures}.`);
  }

  /** The cost since `startCounting()`. */
  async cost(): Promise<BatchCost> {
    const { cpuMicroseconds } = await this.#cpu();
    return {
      servingMicroseconds: trimmedMean(this.#batchCosts),
      totalMicroseconds: (cpuMicroseconds - this.#totalBefore) / this.#batchCosts.length,
    };
  }

  async stop(): Promise<void> {
    this.#client.close();
    await this.#subject.stop();
  }

  #cpu(): Promise<Cpu> {
    return this.#client.ask<Cpu>('/bench/cpu');
  }

  async #threads(): Promise<number | undefined> {
    return (await this.#client.ask<{ readonly threads?: number }>('/bench/threads')).threads;
  }
}
