import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

import type { Report } from './records.ts';

/** Receives what watchdogs send by themselves while their process is blocked: Sentry's envelopes and OTLP. */
export class Sink {
  readonly reports: Report[] = [];
  /** Arrival of the first report of a hang, in ms since the epoch. */
  hangReportedAt: number | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Sink> {
    const server = createServer((request, response) => {
      const atEpochMs = Date.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end('{}');
        const body = Buffer.concat(chunks);
        const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
        sink.#receive(request.url ?? '', text, atEpochMs);
      });
    });
    const sink = new Sink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Environment variables with which a subject's watchdogs send here. */
  get environment(): Record<string, string> {
    return {
      BENCH_SENTRY_DSN: `http://public@127.0.0.1:${this.port}/1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(url: string, text: string, atEpochMs: number): void {
    if (url.includes('/envelope')) {
      const report = sentryReport(text, atEpochMs);
      if (report) this.reports.push(report);
      if (report) this.hangReportedAt ??= atEpochMs;
    } else if (url.endsWith('/v1/traces') && text.includes('event-loop-hang')) {
      this.hangReportedAt ??= atEpochMs;
    }
  }
}

interface SentryFrame {
  readonly filename?: string;
  readonly lineno?: number;
}

interface SentryEvent {
  readonly exception?: {
    readonly values?: readonly { readonly stacktrace?: { readonly frames?: readonly SentryFrame[] } }[];
  };
  readonly threads?: {
    readonly values?: readonly { readonly stacktrace?: { readonly frames?: readonly SentryFrame[] } }[];
  };
}

/** Finds the event in an envelope, which has one JSON document per line. Its frames start with the outermost call. */
function sentryReport(envelope: string, atEpochMs: number): Report | undefined {
  const event = envelope
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as SentryEvent];
      } catch {
        return [];
      }
    })
    .find(({ exception }) => exception !== undefined);
  if (!event) return undefined;
  const values = [...(event.exception?.values ?? []), ...(event.threads?.values ?? [])];
  const frames = values.find(({ stacktrace }) => stacktrace)?.stacktrace?.frames ?? [];
  const stack = [...frames]
    .reverse()
    .map(({ filename = '', lineno = 0 }) => `at (${filename}:${lineno}:1)`)
    .join('\n');
  return { type: 'report', atEpochMs, stack };
}
