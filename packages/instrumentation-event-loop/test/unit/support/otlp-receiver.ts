import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OtlpEndpoint, OtlpTarget } from '../../../src/contract/hang-report.js';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** An OTLP/HTTP receiver whose answers the test sets. */
export class OtlpReceiver {
  readonly received: Received[] = [];
  readonly #server: http.Server;
  /** Statuses of the next answers; 200 when the list is empty; 0 never answers, -1 breaks the connection. */
  answers: number[] = [];
  /** The header of the answers. */
  retryAfter: string | undefined;
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url: path, headers } = request;
        this.received.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
        const status = this.answers.shift() ?? 200;
        if (status === -1) request.socket.destroy();
        else if (status > 0) {
          response.writeHead(status, this.retryAfter === undefined ? {} : { 'retry-after': this.retryAfter }).end('{}');
        }
        this.#waiting = this.#waiting.filter(({ count, resolve }) => {
          if (this.received.length < count) return true;
          resolve();
          return false;
        });
      });
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  endpoint(signal: 'traces' | 'metrics' = 'traces', overrides: Partial<OtlpEndpoint> = {}): OtlpEndpoint {
    return {
      url: `${this.url}/v1/${signal}`,
      headers: {},
      timeoutMs: 5000,
      certificate: undefined,
      clientKey: undefined,
      clientCertificate: undefined,
      ...overrides,
    };
  }

  target(overrides: Partial<OtlpTarget> = {}): OtlpTarget {
    return {
      traces: this.endpoint('traces'),
      metrics: this.endpoint('metrics'),
      spoolDirectory: undefined,
      ...overrides,
    };
  }

  /** Resolves when `count` requests have arrived. */
  async until(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
