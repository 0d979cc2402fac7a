import { Pool } from 'undici';

import type { Server } from '../catalogue.ts';
import { Subject } from './subject.ts';
import type { Platform } from './subject.ts';

/** The CPU that a server process has used since its start, and its memory. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** One measured window. */
export interface Window {
  readonly cpuMicrosecondsPerRequest: number;
  readonly latenciesMs: readonly number[];
  readonly rssBytes: number;
}

export interface Load {
  readonly requests: number;
  /** Upper limit of a window's length: some peers are 50 times slower than others. */
  readonly maxMs: number;
}

export interface ServerOptions {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly flags?: readonly string[];
}

/** A server process with one peer, and the load on it, which this process makes. */
export class MeasuredServer {
  /** From the start of the process until it listens. */
  readonly readyMs: number;
  readonly #subject: Subject;
  readonly #pool: Pool;
  readonly #connections: number;

  private constructor(subject: Subject, port: number, readyMs: number, connections: number) {
    this.readyMs = readyMs;
    this.#subject = subject;
    this.#connections = connections;
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  }

  static async start(
    platform: Platform,
    peerName: string,
    server: Server,
    { connections, timeoutMs, flags = [] }: ServerOptions,
  ): Promise<MeasuredServer> {
    const subject = new Subject(platform, {
      program: 'server.cjs',
      args: [peerName, server.name],
      flags: ['--expose-gc', ...flags],
      timeoutMs,
    });
    const { port, readyMs } = await subject.nextMessage<{ port: number; readyMs: number }>();
    return new MeasuredServer(subject, port, readyMs, connections);
  }

  /** Each connection sends its next request when the previous one is answered, until all are sent. */
  async load({ requests, maxMs }: Load): Promise<Window> {
    const before = await this.#ask('/bench/settle');
    const deadline = performance.now() + maxMs;
    const latenciesMs: number[] = [];
    let sent = 0;
    const sendOneAfterAnother = async (): Promise<void> => {
      while (sent < requests && performance.now() < deadline) {
        sent++;
        const start = performance.now();
        await this.#get('/');
        latenciesMs.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, sendOneAfterAnother));
    const after = await this.usage();
    return {
      cpuMicrosecondsPerRequest: (after.cpuMicroseconds - before.cpuMicroseconds) / latenciesMs.length,
      latenciesMs,
      rssBytes: after.rssBytes,
    };
  }

  usage(): Promise<Usage> {
    return this.#ask('/bench/usage');
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
    await this.#subject.stop();
  }

  async #ask(path: string): Promise<Usage> {
    return JSON.parse(await this.#get(path)) as Usage;
  }

  async #get(path: string): Promise<string> {
    const { statusCode, body } = await this.#pool.request({ method: 'GET', path });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`Expected status 200 of ${path}, got ${statusCode}: ${text.slice(0, 500)}`);
    return text;
  }
}
