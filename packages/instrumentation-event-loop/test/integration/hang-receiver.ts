import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Attributes } from '@loopwatch/test-support';

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

type AnyValue = Readonly<Record<string, unknown>>;
type AttributeValue = Attributes[string];

interface Resource {
  readonly attributes: readonly KeyValue[];
}

interface SpanJson {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
}

interface PointJson {
  readonly asDouble: number;
  readonly attributes: readonly KeyValue[];
}

/** The two messages that the watchdog sends. */
interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly {
      readonly metrics: readonly { readonly name: string; readonly gauge: { readonly dataPoints: PointJson[] } }[];
    }[];
  }[];
}

export interface ReceivedRequest {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Common name of the client's certificate, over TLS. */
  readonly client: string | undefined;
  /** Status of the answer; undefined when there was no answer. */
  readonly status: number | undefined;
}

export interface ReceivedSpan extends Omit<SpanJson, 'attributes'> {
  readonly attributes: Attributes;
  readonly resource: Attributes;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
  readonly durationMs: number;
}

export interface ReceivedGauge {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

/** An OTLP/HTTP receiver that answers trace requests with the statuses that the test sets. */
export class HangReceiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  /** Statuses for the next trace requests. `silence` never answers; an empty list answers 200. */
  readonly answers: (number | 'silence')[] = [];
  readonly #server: ReturnType<typeof createHttpServer>;
  readonly #scheme: 'http' | 'https';
  readonly #waiting = new Set<() => void>();

  private constructor(tls: ServerOptions | undefined) {
    this.#scheme = tls ? 'https' : 'http';
    this.#server = tls ? createHttpsServer(tls, this.#onRequest) : createHttpServer(this.#onRequest);
  }

  static async start(tls?: ServerOptions): Promise<HangReceiver> {
    const receiver = new HangReceiver(tls);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The `event-loop-hang` spans in order of arrival. */
  get hangs(): ReceivedSpan[] {
    return this.requests.flatMap(({ text }) =>
      ((JSON.parse(text) as OtlpBody).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map((span) => decodeSpan(span, resource))),
      ),
    );
  }

  get gauges(): ReceivedGauge[] {
    return this.requests.flatMap(({ text }) =>
      ((JSON.parse(text) as OtlpBody).resourceMetrics ?? []).flatMap(({ resource, scopeMetrics }) =>
        scopeMetrics
          .flatMap(({ metrics }) => metrics)
          .flatMap(({ name, gauge }) =>
            gauge.dataPoints.map(({ asDouble, attributes }) => ({
              name,
              value: asDouble,
              attributes: decodeAttributes(attributes),
              resource: decodeAttributes(resource.attributes),
            })),
          ),
      ),
    );
  }

  /** Resolves when the condition holds. It is checked after each request. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const isTraces = text.startsWith('{"resourceSpans"');
      const answer = (isTraces ? this.answers.shift() : undefined) ?? 200;
      const status = answer === 'silence' ? undefined : answer;
      const client = clientOf(request.socket);
      this.requests.push({ path: request.url, headers: request.headers, text, client, status });
      if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    });
  };
}

function clientOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject } = socket.getPeerCertificate();
  return (subject as { CN?: string } | undefined)?.CN;
}

function decodeSpan(span: SpanJson, resource: Resource): ReceivedSpan {
  const startEpochMs = Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000;
  const endEpochMs = Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000;
  return {
    ...span,
    attributes: decodeAttributes(span.attributes),
    resource: decodeAttributes(resource.attributes),
    startEpochMs,
    endEpochMs,
    durationMs: endEpochMs - startEpochMs,
  };
}

function decodeAttributes(attributes: readonly KeyValue[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, decodeValue(value)]));
}

function decodeValue(value: AnyValue): AttributeValue {
  const [kind, content] = Object.entries(value)[0]!;
  if (kind === 'intValue') return Number(content);
  if (kind === 'arrayValue') return (content as { values: AnyValue[] }).values.map((item) => String(decodeValue(item)));
  return content as AttributeValue;
}
